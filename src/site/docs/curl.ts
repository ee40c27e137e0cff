import { exampleOf } from '../../http/openapi/examples.ts'
import type { Document, Method, Operation } from '../../http/openapi/types.ts'

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
