interface SemanticVersion {
  numbers: readonly string[]
  /** Empty for a release, which comes after its pre-releases. */
  prerelease: readonly string[]
}

const SEMANTIC =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i

/** By semantic version; null unless both are such. A leading `v` and missing parts are fine. */
export function compareSemantic(left: string, right: string): number | null {
  const [a, b] = [parse(left), parse(right)]
  if (!a || !b) return null
  return comparePart(a.numbers, b.numbers, compareDigits) || comparePrerelease(a.prerelease, b.prerelease)
}

function parse(text: string): SemanticVersion | null {
  const match = SEMANTIC.exec(text.trim())
  if (!match) return null
  const [, major = '0', minor = '0', patch = '0', prerelease] = match
  return { numbers: [major, minor, patch], prerelease: prerelease?.split('.') ?? [] }
}

function comparePrerelease(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length
  return comparePart(left, right, compareIdentifier) || left.length - right.length
}

function comparePart(
  left: readonly string[],
  right: readonly string[],
  compare: (a: string, b: string) => number,
): number {
  for (const [index, part] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 0
    const order = compare(part, other)
    if (order !== 0) return order
  }
  return 0
}

/** Numbers come before words. */
function compareIdentifier(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [isDigits(left), isDigits(right)]
  if (isNumber && isOtherNumber) return compareDigits(left, right)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return compareText(left, right)
}

/** As long as they are, without losing a digit: dates make long numbers. */
function compareDigits(left: string, right: string): number {
  const [a, b] = [left.replace(/^0+(?=\d)/, ''), right.replace(/^0+(?=\d)/, '')]
  return a.length - b.length || compareText(a, b)
}

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text)
}
