/** Limits the digits, because Bun stores each number in 64 bits. */
const SEMANTIC =
  /^v?(\d{1,19})(?:\.(\d{1,19}))?(?:\.(\d{1,19}))?(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i

/**
 * Compares semantic versions; a leading `v` and missing parts are allowed. All other texts count as older
 * than these and as equal to each other.
 */
export function compareVersionTexts(left: string, right: string): number {
  const [a, b] = [complete(left), complete(right)]
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return Bun.semver.order(a, b)
}

/** Fills up to three numbers: Bun would compare a bare `1` as a range. */
function complete(text: string): string | null {
  const match = SEMANTIC.exec(text.trim())
  if (!match) return null
  const [, major = '0', minor = '0', patch = '0', prerelease = ''] = match
  return `${major}.${minor}.${patch}${prerelease}`
}
