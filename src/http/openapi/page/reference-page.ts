import { AppError, toEnvelope } from '../../../errors.ts'
import { type Html, html, json, markdown } from '../../../lib/text/html.ts'
import { ok } from '../../output/envelope.ts'
import { type Document, METHODS, type SecurityScheme, type Tag } from '../types.ts'
import { SCRIPT, STYLE } from './assets.ts'
import { type OperationEntry, renderOperation, renderSample } from './operation-view.ts'

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%234f46e5' d='M2 2h3v12H2zM6.5 4h3v10h-3zM11 2.6l2.9-.8L16 13.2l-2.9.8z'/%3E%3C/svg%3E"

/** The API reference: one static page, rendered from the document and readable without its script. */
export function renderReferencePage(document: Document): string {
  const chapters = document.tags.map((tag) => ({ tag, entries: entriesOf(document, tag) }))
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} API reference</title>
        <meta name="description" content="${document.info.summary}" />
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${STYLE.path}" />
        <link rel="service-desc" type="application/json" href="/api/v1/public/openapi.json" />
        <script src="${SCRIPT.path}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="/docs">${document.info.title} <span>API</span></a>
          <span class="version">v${document.info.version}</span>
          <a href="/api/v1/public/openapi.json">JSON</a>
          <a href="/api/v1/public/openapi.yaml">YAML</a>
        </header>
        <div class="columns">
          <nav aria-label="Operations">
            <div class="filter" hidden>
              <label for="filter">Filter operations</label>
              <input
                id="filter"
                type="search"
                autocomplete="off"
                spellcheck="false"
                placeholder="Filter operations ( / )"
              />
              <p id="matches" role="status"></p>
            </div>
            <details class="menu" open>
              <summary>Contents</summary>
              <ul>
                <li><a href="#introduction">Introduction</a></li>
                <li><a href="#authentication">Authentication</a></li>
              </ul>
              ${chapters.map(({ tag, entries }) => renderMenu(tag, entries))}
            </details>
          </nav>
          <main id="main" tabindex="-1">
            ${renderIntroduction(document)}
            ${chapters.map(({ tag, entries }) => renderChapter(document, tag, entries))}
          </main>
        </div>
      </body>
    </html>`
  return page.markup
}

function entriesOf(document: Document, tag: Tag): OperationEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation?.tags[0] === tag.name ? [{ method, path, operation }] : []
    }),
  )
}

function renderIntroduction({ info, servers, components }: Document): Html {
  return html`<section class="introduction">
    <div class="text">
      <h1 id="introduction">${info.title} API</h1>
      <p class="lead">${info.summary}</p>
      ${markdown(info.description)}
      <h2 id="authentication">Authentication</h2>
      <dl class="schemes">
        ${Object.entries(components.securitySchemes).map(([name, scheme]) => renderScheme(name, scheme))}
      </dl>
    </div>
    <div class="samples">
      ${servers.map(({ url }) => renderSample('Base address', html`<code>${url}</code>`))}
      ${renderSample('A success', json(ok({ status: 'ok' })))}
      ${renderSample('A failure', json(toEnvelope(new AppError('rate_limited'))))}
    </div>
  </section>`
}

function renderScheme(name: string, scheme: SecurityScheme): Html {
  const header = scheme.type === 'http' ? 'Authorization: Bearer …' : `${scheme.name}: …`
  return html`<div>
    <dt><code class="name">${name}</code> <code class="type">${header}</code></dt>
    <dd>${markdown(scheme.description)}</dd>
  </div>`
}

function renderMenu(tag: Tag, entries: readonly OperationEntry[]): Html {
  return html`<div class="chapter-menu">
    <a class="title" href="#${anchorOf(tag)}">${tag.name}</a>
    <ul>
      ${entries.map(
        ({ method, operation }) =>
          html`<li>
            <a href="#${operation.operationId}"
              ><span class="method ${method}">${method}</span> ${operation.summary}</a
            >
          </li>`,
      )}
    </ul>
  </div>`
}

function renderChapter(document: Document, tag: Tag, entries: readonly OperationEntry[]): Html {
  return html`<section class="chapter">
    <h2 id="${anchorOf(tag)}">${tag.name}</h2>
    ${markdown(tag.description)} ${entries.map((entry) => renderOperation(document, entry))}
  </section>`
}

function anchorOf({ name }: Tag): string {
  return `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}
