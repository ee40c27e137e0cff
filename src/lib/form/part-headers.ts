import { FormFault } from './scanner.ts'

export interface PartHeaders {
  field: string
  /** Without folders; null for a text field. */
  filename: string | null
  contentType: string
}

const PARAMETER = /;\s*([a-z0-9-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/gi

/** Reads the headers of one part, which follow the boundary line. */
export function readPartHeaders(text: string): PartHeaders {
  const [padding = '', ...lines] = text.split('\r\n')
  if (padding.trim() !== '') throw new FormFault('A boundary of the form is not on a line of its own.')
  const headers = new Map(lines.map(splitHeader))
  const disposition = headers.get('content-disposition') ?? ''
  const parameters = new Map(readParameters(disposition))
  const field = parameters.get('name')
  if (!/^form-data\s*;/i.test(disposition) || field === undefined) {
    throw new FormFault('A part of the form has no name.')
  }
  const filename = decodeExtended(parameters.get('filename*')) ?? parameters.get('filename')
  const contentType = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return {
    field,
    filename: filename === undefined ? null : (filename.split(/[/\\]/).at(-1) ?? ''),
    contentType: contentType || 'text/plain',
  }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

function readParameters(disposition: string): [name: string, value: string][] {
  return [...disposition.matchAll(PARAMETER)].map(([, name = '', quoted, bare = '']) => [
    name.toLowerCase(),
    quoted === undefined ? bare : unquote(quoted),
  ])
}

/** Browsers percent-encode quotes and line breaks; other clients escape quotes with a backslash. */
function unquote(text: string): string {
  return text.replace(/\\(["\\])|%(22|0d|0a)/gi, (_, escaped: string | undefined, code: string) =>
    escaped === undefined ? String.fromCharCode(Number.parseInt(code, 16)) : escaped,
  )
}

/** The RFC 5987 form that some clients use for names beyond ASCII: `utf-8''na%C3%AFve.png`. */
function decodeExtended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    if (encoded.includes('%00')) throw new URIError('NUL characters are not allowed')
    return decodeURIComponent(encoded)
  } catch (cause) {
    throw new FormFault('A filename of the form cannot be read.', { cause })
  }
}
