import { parseJson } from '../../lib/json.ts'

/** Begins with a dot, so it is no key: it is never listed, swept or served. */
export const OWNER_NAME = '.installation.json'

export function writeOwnerNote(id: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ installation: id })}\n`)
}

/** A note that cannot be read equals no id, so whoever compares stops. */
export function readOwnerNote(text: string): string {
  try {
    const value = parseJson(text)
    const hasId = typeof value === 'object' && value !== null && 'installation' in value
    return hasId && typeof value.installation === 'string' ? value.installation : 'unreadable'
  } catch {
    return 'unreadable'
  }
}
