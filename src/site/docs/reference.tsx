import { AppError, toEnvelope } from '../../errors.ts'
import { ok } from '../../http/input/schema.ts'
import { type Document, METHODS, type SecurityScheme, type Tag } from '../../http/openapi/types.ts'
import { Badge } from '../kit/labels.tsx'
import { Markdown } from './markdown.tsx'
import { MethodBadge, OperationArticle, type OperationEntry } from './operation.tsx'
import { Json, Sample } from './sample.tsx'

interface Chapter {
  tag: Tag
  /** Where the menu leads to. */
  anchor: string
  entries: OperationEntry[]
}

/** The whole reference, rendered from the document. The script only adds the filter and copying. */
export function Reference({ document }: { document: Document }) {
  const { info, tags } = document
  const chapters = tags.map((tag) => toChapter(document, tag))
  return (
    <>
      <Menu chapters={chapters} />
      <div class="body sections">
        <header class="stack">
          <h1 id="introduction">{info.title} API</h1>
          <p class="quiet">{info.summary}</p>
          <p class="row">
            <Badge>v{info.version}</Badge>
            <a href="/api/v1/public/openapi.json">OpenAPI as JSON</a>
            <a href="/api/v1/public/openapi.yaml">as YAML</a>
          </p>
        </header>
        <Introduction document={document} />
        {chapters.map(({ tag, anchor, entries }) => (
          <section class="chapter" key={anchor}>
            <h2 id={anchor}>{tag.name}</h2>
            <Markdown text={tag.description} class="quiet" />
            {entries.map((entry) => (
              <OperationArticle key={entry.operation.operationId} document={document} entry={entry} />
            ))}
          </section>
        ))}
      </div>
    </>
  )
}

function toChapter(document: Document, tag: Tag): Chapter {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation?.tags[0] === tag.name ? [{ method, path, operation }] : []
    }),
  )
  return { tag, anchor: `tag-${tag.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`, entries }
}

function Menu({ chapters }: { chapters: readonly Chapter[] }) {
  return (
    <nav aria-label="Operations">
      <div class="filter">
        <label class="visually-hidden" for="filter">
          Filter operations
        </label>
        <input
          class="input"
          id="filter"
          type="search"
          autoComplete="off"
          spellcheck={false}
          placeholder="Filter operations"
        />
        <p id="matches" class="quiet small" role="status" />
      </div>
      <details class="contents" open>
        <summary>Contents</summary>
        <ul class="links">
          <li>
            <a href="#introduction">Introduction</a>
          </li>
          <li>
            <a href="#authentication">Authentication</a>
          </li>
        </ul>
        {chapters.map(({ tag, anchor, entries }) => (
          <div class="group" key={anchor}>
            <a class="quiet" href={`#${anchor}`}>
              {tag.name}
            </a>
            <ul class="links">
              {entries.map(({ method, operation }) => (
                <li key={operation.operationId}>
                  <a href={`#${operation.operationId}`}>
                    <MethodBadge method={method} /> {operation.summary}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </details>
    </nav>
  )
}

function Introduction({ document: { info, servers, components } }: { document: Document }) {
  return (
    <section class="introduction halves">
      <div class="text">
        <Markdown text={info.description} />
        <h2 id="authentication">Authentication</h2>
        <dl>
          {Object.entries(components.securitySchemes).map(([name, scheme]) => (
            <Scheme key={name} name={name} scheme={scheme} />
          ))}
        </dl>
      </div>
      <div class="samples">
        {servers.map(({ url }) => (
          <Sample key={url} id="base-address" title="Base address">
            {url}
          </Sample>
        ))}
        <Sample id="success" title="A success">
          <Json value={ok({ status: 'ok' })} />
        </Sample>
        <Sample id="failure" title="A failure">
          <Json value={toEnvelope(new AppError('rate_limited'))} />
        </Sample>
      </div>
    </section>
  )
}

function Scheme({ name, scheme }: { name: string; scheme: SecurityScheme }) {
  return (
    <div>
      <dt>
        <code class="name">{name}</code>{' '}
        <code class="quiet">{scheme.type === 'http' ? 'Authorization: Bearer …' : `${scheme.name}: …`}</code>
      </dt>
      <dd>
        <Markdown text={scheme.description} class="note" />
      </dd>
    </div>
  )
}
