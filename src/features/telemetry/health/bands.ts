import { HEALTH_BANDS, type HealthBand } from '../../../domain/builds/health-bands.ts'
import { DEVICES_MIN } from './model.ts'

export interface LaunchCounts {
  devices: number
  bootOk: number
  crashed: number
}

/** The minimum percentage of devices that sent boot_ok, and the maximum that crashed before it. */
const THRESHOLDS: readonly (readonly [band: HealthBand, booted: number, crashed: number])[] = [
  ['excellent', 98, 1],
  ['healthy', 93, 3],
  ['mixed', 80, 10],
]

export function bandOf({ devices, bootOk, crashed }: LaunchCounts): HealthBand {
  if (devices < DEVICES_MIN) return 'unrated'
  const reached = THRESHOLDS.find(
    ([, leastBooted, mostCrashed]) =>
      bootOk * 100 >= leastBooted * devices && crashed * 100 <= mostCrashed * devices,
  )
  return reached?.[0] ?? 'problematic'
}

/** Ignores unrated builds if there is a rated one. */
export function worstBand(bands: readonly HealthBand[]): HealthBand {
  return HEALTH_BANDS.find((band) => bands.includes(band)) ?? 'unrated'
}
