/** Matches `;q=0`, which excludes an encoding. */
const REFUSED = /;\s*q=0(?:\.0*)?\s*$/

/** Whether the client names this encoding in Accept-Encoding. */
export function acceptsEncoding(headers: Headers, name: string): boolean {
  const accepted = (headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return accepted.some((part) => part.split(';', 1)[0]?.trim() === name && !REFUSED.test(part))
}
