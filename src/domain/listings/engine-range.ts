import type { OperatingSystem } from '../builds/platforms.ts'

export const ENGINE_RANGES_MAX = 10
const VERSION = /^v?(\d{1,6}(?:\.\d{1,6}){0,3})(?:[-+][\w.+-]*|\.?[a-z][\w.+-]*)?$/i
const DECLARED = /^\d{1,6}(?:\.\d{1,6}){0,3}$/

/** The versions of an engine that a listing works with. */
export interface EngineRange {
  engine: string
  min_version: string
  max_version: string
  renderer: string | null
  platform: OperatingSystem | null
}

/** A declared bound is plain numbers: `4`, `4.2`, `4.2.1`. */
export function isDeclaredVersion(text: string): boolean {
  return DECLARED.test(text)
}

/** The numbers of a version, without any label behind them; null when it has none. */
export function parseVersion(text: string): readonly number[] | null {
  const numbers = VERSION.exec(text.trim())?.[1]
  return numbers === undefined ? null : numbers.split('.').map(Number)
}

/** Missing parts count as 0. */
export function compareVersions(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** A maximum covers everything below it: `4.2` all patches of 4.2, `4` all of 4. */
export function isWithin(
  version: readonly number[],
  min: readonly number[],
  max: readonly number[],
): boolean {
  return compareVersions(version, min) >= 0 && compareVersions(version.slice(0, max.length), max) <= 0
}

export function coversVersion(range: EngineRange, version: string): boolean {
  const [asked, min, max] = [version, range.min_version, range.max_version].map(parseVersion)
  return Boolean(asked && min && max && isWithin(asked, min, max))
}
