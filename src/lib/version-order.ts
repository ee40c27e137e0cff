/** Bun holds each number in 64 bits. */
const SEMANTIC =
  /^v?(\d{1,19})(?:\.(\d{1,19}))?(?:\.(\d{1,19}))?(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i

/** By semantic version; null unless both are such. A leading `v` and missing parts are fine. */
export function compareSemantic(left: string, right: string): number | null {
  const [a, b] = [complete(left), complete(right)]
  return a === null || b === null ? null : Bun.semver.order(a, b)
}

/** With all three numbers: without them Bun compares `1` as a range. */
function complete(text: string): string | null {
  const match = SEMANTIC.exec(text.trim())
  if (!match) return null
  const [, major = '0', minor = '0', patch = '0', prerelease = ''] = match
  return `${major}.${minor}.${patch}${prerelease}`
}
