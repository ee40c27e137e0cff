import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { coversVersion, type EngineRange, parseVersion } from '../../../domain/listings/engine-range.ts'
import { COMPAT_STATUSES, type CompatStatus } from './model.ts'

interface CheckedBuild {
  os: OperatingSystem
  engineVersion: string | null
}

/** `engines` are those the parent is made with; ranges for other engines are ignored. */
export function checkBuild(
  ranges: readonly EngineRange[],
  engines: readonly string[],
  { os, engineVersion }: CheckedBuild,
): CompatStatus {
  if (engineVersion === null || parseVersion(engineVersion) === null) return 'unknown'
  const fitting = ranges.filter(
    ({ engine, platform }) => engines.includes(engine) && (platform === null || platform === os),
  )
  if (fitting.length === 0) return 'unknown'
  return fitting.some((range) => coversVersion(range, engineVersion)) ? 'compatible' : 'incompatible'
}

/** `unknown` without any build. */
export function worstOf(statuses: readonly CompatStatus[]): CompatStatus {
  return COMPAT_STATUSES.find((status) => statuses.includes(status)) ?? 'unknown'
}
