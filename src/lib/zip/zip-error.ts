/** The zip itself is at fault. The message is a sentence for whoever made it. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

const SHOWN_MAX = 120

/** A name out of a stranger's zip, fit for a sentence. */
export function quoteName(name: string): string {
  const shown = name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name
  return `"${shown.toWellFormed().replace(/\p{Cc}/gu, '?')}"`
}
