import { nameOfReference } from '../../http/openapi/schemas.ts'
import type {
  Document,
  MediaType,
  Method,
  Operation,
  Parameter,
  ResponseObject,
} from '../../http/openapi/types.ts'
import { Badge } from '../components/badge.tsx'
import type { Tone } from '../kit/labels.ts'
import { createCurl } from './curl.ts'
import { Markdown } from './markdown.tsx'
import { Code, Json, Sample } from './sample.tsx'
import { CodeNote, FieldHead, SchemaFields, SchemaNotes } from './schema-fields.tsx'

export interface OperationEntry {
  method: Method
  path: string
  operation: Operation
}

/** One route: what it takes and answers, with a command to try it. */
export function OperationArticle({ document, entry }: { document: Document; entry: OperationEntry }) {
  const { method, path, operation } = entry
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const answers = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolveResponse(document, response)] as const,
  )
  return (
    <article
      class="operation halves"
      id={operationId}
      data-search={`${method} ${path} ${summary}`.toLowerCase()}
    >
      <div class="text">
        <h3>
          <a href={`#${operationId}`}>{summary}</a>
        </h3>
        <p class="address">
          <MethodBadge method={method} /> <code>{breakable(path)}</code>
        </p>
        <Markdown text={description} />
        {parameters.length > 0 ? <Parameters parameters={parameters} /> : null}
        {requestBody ? (
          <>
            <h4>Body</h4>
            <Media document={document} content={requestBody.content} />
          </>
        ) : null}
        <h4>Answers</h4>
        {answers.map(([status, response]) => (
          <Answer key={status} document={document} status={status} response={response} />
        ))}
      </div>
      <div class="samples">
        <Sample id={`${operationId}-request`} title="Request">
          <span class="command">{createCurl(document, method, path, operation)}</span>
        </Sample>
        <AnswerSample id={`${operationId}-answer`} answers={answers} />
      </div>
    </article>
  )
}

const METHOD_TONES: Readonly<Record<Method, Tone>> = {
  get: 'good',
  post: 'fair',
  put: 'warn',
  patch: 'warn',
  delete: 'bad',
}

export function MethodBadge({ method }: { method: Method }) {
  return <Badge tone={METHOD_TONES[method]}>{method.toUpperCase()}</Badge>
}

function Parameters({ parameters }: { parameters: readonly Parameter[] }) {
  return (
    <>
      <h4>Parameters</h4>
      <ul class="fields">
        {parameters.map(({ name, in: place, required, schema, description }) => (
          <li key={name}>
            <FieldHead name={name} schema={schema} note={required ? place : `${place}, optional`} />
            {description === undefined ? null : <Markdown text={description} class="note" />}
            <SchemaNotes schema={schema} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface AnswerProps {
  document: Document
  status: string
  response: ResponseObject
}

function Answer({ document, status, response: { description, content = {}, headers = {} } }: AnswerProps) {
  const tone = status.startsWith('2') ? 'good' : status < '400' ? 'none' : 'bad'
  const failure = tone === 'bad' ? firstExample(content) : undefined
  const names = Object.keys(headers)
  return (
    <details class="answer" open={tone === 'good'}>
      <summary>
        <Badge tone={tone}>{status}</Badge> {firstLine(description)}
      </summary>
      {description.includes('\n') ? <Markdown text={description} class="note" /> : null}
      {tone === 'bad' ? null : <Media document={document} content={content} />}
      {failure === undefined ? null : (
        <Code>
          <Json value={failure} />
        </Code>
      )}
      {names.length > 0 ? <CodeNote label="Headers" texts={names} /> : null}
    </details>
  )
}

function firstExample(content: Record<string, MediaType>): unknown {
  const examples = Object.values(content).flatMap((media) => Object.values(media.examples ?? {}))
  return examples[0]?.value
}

function AnswerSample({
  id,
  answers,
}: {
  id: string
  answers: readonly (readonly [string, ResponseObject])[]
}) {
  const [example] = answers
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content).flatMap((media) => media.example ?? []))
  if (example === undefined) return null
  return (
    <Sample id={id} title="Answer">
      {typeof example === 'string' ? example : <Json value={example} />}
    </Sample>
  )
}

function Media({ document, content }: { document: Document; content: Record<string, MediaType> }) {
  return Object.entries(content).map(([type, { schema }]) => (
    <div key={type}>
      <p class="note">
        <code>{type}</code> {schema.$ref === undefined ? '' : nameOfReference(schema.$ref)}
      </p>
      <SchemaNotes schema={schema} />
      <SchemaFields schema={schema} named={document.components.schemas} />
    </div>
  ))
}

function resolveResponse({ components }: Document, response: Operation['responses'][string]): ResponseObject {
  if (!('$ref' in response)) return response
  return components.responses[nameOfReference(response.$ref)] ?? { description: '' }
}

function firstLine(description: string): string {
  const lines = description.split('\n')
  const first = (lines[0] ?? '').replace(/^- /, '')
  return lines.length > 1 ? `${first} And ${lines.length - 1} more.` : first
}

/** Lets long addresses wrap after slashes only. */
function breakable(path: string) {
  return path.split(/(?<=\/)/).map((part) => [part, <wbr />])
}
