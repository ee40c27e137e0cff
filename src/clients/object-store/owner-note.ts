import { parseJson } from '../../lib/json.ts'

/** Starts with a dot, so it is not a valid key and is never listed, swept or served. */
export const OWNER_NAME = '.installation.json'

export function writeOwnerNote(id: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ installation: id })}\n`)
}

/** An unreadable note returns an id that matches no installation, so the comparison fails. */
export function readOwnerNote(text: string): string {
  try {
    const value = parseJson(text)
    const hasId = typeof value === 'object' && value !== null && 'installation' in value
    return hasId && typeof value.installation === 'string' ? value.installation : 'unreadable'
  } catch {
    return 'unreadable'
  }
}
