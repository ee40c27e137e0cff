import { exampleOf, type NamedSchemas, nameOfReference, resolveSchema } from '../../http/openapi/schemas.ts'
import type {
  Document,
  MediaType,
  Method,
  Operation,
  Parameter,
  ResponseObject,
  Schema,
} from '../../http/openapi/types.ts'
import { Badge, type Tone } from '../kit/labels.tsx'
import { Markdown } from './markdown.tsx'
import { Code, Json, Sample } from './sample.tsx'

export interface OperationEntry {
  method: Method
  path: string
  operation: Operation
}

/** One operation: its parameters, body and responses, with a command to try it. */
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

const MAX_DEPTH = 8

interface SchemaProps {
  schema: Schema
  named: NamedSchemas
}

/** Lists the fields of an object; nested objects open on demand. */
function SchemaFields({ schema, named, depth = 0 }: SchemaProps & { depth?: number }) {
  const fields = fieldsOf(schema, named)
  if (fields.length === 0) return null
  return (
    <ul class="fields">
      {fields.map((field) => (
        <SchemaField key={field.name} {...field} named={named} depth={depth} />
      ))}
    </ul>
  )
}

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
}

function SchemaField({ name, schema, isRequired, named, depth }: Field & SchemaProps & { depth: number }) {
  const inner = objectInside(schema, named)
  const hasInner = inner !== null && depth < MAX_DEPTH && fieldsOf(inner, named).length > 0
  return (
    <li>
      <FieldHead name={name} schema={schema} note={isRequired ? '' : 'optional'} />
      <SchemaNotes schema={schema} />
      {hasInner ? (
        <details open={depth < 1}>
          <summary>Fields of {name}</summary>
          <SchemaFields schema={inner} named={named} depth={depth + 1} />
        </details>
      ) : null}
    </li>
  )
}

/** The first line about a field or a parameter: name, type and whether it may be left out. */
function FieldHead({ name, schema, note }: { name: string; schema: Schema; note: string }) {
  return (
    <div class="row">
      <code class="name">{name}</code>
      <span class="quiet small">{typeOf(schema)}</span>
      {note === '' ? null : <em class="quiet small">{note}</em>}
    </div>
  )
}

/** Description, allowed values and bounds of a schema. */
function SchemaNotes({ schema }: { schema: Schema }) {
  const values = schema.enum ?? schema.items?.enum ?? []
  const bounds = boundsOf(schema)
  return (
    <>
      {schema.description === undefined ? null : <Markdown text={schema.description} class="note" />}
      {values.length > 0 ? <CodeNote label="One of" texts={values.map(String)} /> : null}
      {bounds.length > 0 ? <p class="note">{bounds.join(' · ')}</p> : null}
    </>
  )
}

function CodeNote({ label, texts }: { label: string; texts: readonly string[] }) {
  return (
    <p class="note">
      {label}{' '}
      {texts.map((text) => (
        <>
          <code key={text}>{text}</code>{' '}
        </>
      ))}
    </p>
  )
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOfReference(schema.$ref)
  if ('const' in schema) return JSON.stringify(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map((member) => typeOf(member)))].join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  if (schema.type === 'object' || schema.allOf) return 'object'
  if (schema.format !== undefined) return schema.format
  return schema.type ?? 'anything'
}

function fieldsOf(schema: Schema, named: NamedSchemas): Field[] {
  const { properties = {}, required = [], allOf = [] } = resolveSchema(schema, named)
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }))
  return [...own, ...allOf.flatMap((part) => fieldsOf(part, named))]
}

/** The object in a field: the field itself, its only object alternative, or the items of its list. */
function objectInside(schema: Schema, named: NamedSchemas): Schema | null {
  const resolved = resolveSchema(schema, named)
  if (resolved.properties || resolved.allOf) return resolved
  if (resolved.items) return objectInside(resolved.items, named)
  const [first = null, second] = (resolved.anyOf ?? resolved.oneOf ?? [])
    .map((member) => objectInside(member, named))
    .filter((member) => member !== null)
  return second === undefined ? first : null
}

function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
  ]
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`]
  if (min !== undefined) return [`at least ${min}${unit}`]
  return max === undefined ? [] : [`at most ${max}${unit}`]
}

const CREDENTIALS: Readonly<Record<string, readonly string[]>> = {
  player: ['Authorization: Bearer $PLAYER_KEY'],
  deploy_key: ['X-Access-Token: $ACCESS_TOKEN'],
  deploy_key_secret: ['X-Secret-Key: $SECRET_KEY'],
  game_server: ['Authorization: Bearer $GAME_AUTH_KEY'],
}

/** A command that works when pasted, once the variables for the credentials are set. */
export function createCurl(document: Document, method: Method, path: string, operation: Operation): string {
  const { schemas } = document.components
  const parameters = operation.parameters ?? []
  const valueOf = (name: string) => {
    const schema = parameters.find((parameter) => parameter.name === name)?.schema
    return schema?.examples || schema?.enum ? String(exampleOf(schema, schemas)) : name.toUpperCase()
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)))
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || parameter.schema.examples))
    .map(({ name }) => `${name}=${encodeURIComponent(valueOf(name))}`)
  const headers = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.required)
    .map(({ name }) => `${name}: ${valueOf(name)}`)
  const credentials = Object.keys(operation.security[0] ?? {}).flatMap((scheme) => CREDENTIALS[scheme] ?? [])
  const body = operation.requestBody?.content['application/json']
  const url = `${document.servers[0]?.url ?? ''}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(url)}`,
    ...credentials.map((header) => `-H "${header}"`),
    ...headers.map((header) => `-H ${quote(header)}`),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body.example))}`] : []),
  ].join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
