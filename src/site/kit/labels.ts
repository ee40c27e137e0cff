import type { HealthBand } from '../../domain/builds/health.ts'
import { type OperatingSystem, SYSTEM_NAMES } from '../../domain/builds/platforms.ts'
import type { LicenseKind } from '../../domain/listings/licenses.ts'
import { type AssetType, type Status, TYPE_NAMES } from '../../domain/listings/listing.ts'
import { once } from '../../lib/flow/memoize.ts'
import { formatBytes, formatNumber, plural } from '../../lib/text/show.ts'

/** Labels for the API's values. Genres, tags and tones need none: pages show the value itself. */
export const SYSTEM_LABELS: Readonly<Record<OperatingSystem, string>> = SYSTEM_NAMES

export const TYPE_LABELS: Readonly<Record<AssetType, string>> = TYPE_NAMES

export const STATUS_LABELS: Readonly<Record<Status, string>> = {
  released: 'Released',
  in_development: 'In development',
  prototype: 'Prototype',
  on_hold: 'On hold',
  cancelled: 'Cancelled',
}

export const LICENSE_LABELS: Readonly<Record<LicenseKind, string>> = {
  cc0: 'CC0',
  'cc-by': 'CC BY',
  'cc-by-sa': 'CC BY-SA',
  paid: 'Paid',
  'source-available': 'Source available',
  proprietary: 'Proprietary',
}

export type Tone = 'good' | 'fair' | 'warn' | 'bad' | 'none'

interface HealthText {
  label: string
  tone: Tone
  meaning: string
}

export const HEALTH_TEXTS: Readonly<Record<HealthBand, HealthText>> = {
  excellent: {
    label: 'Starts excellently',
    tone: 'good',
    meaning:
      'At least 98 of 100 devices start the newest stable build, and no more than 1 of 100 crashes before that.',
  },
  healthy: {
    label: 'Starts well',
    tone: 'good',
    meaning:
      'At least 93 of 100 devices start the newest stable build, and no more than 3 crash before that.',
  },
  mixed: {
    label: 'Starts for most',
    tone: 'warn',
    meaning:
      'At least 80 of 100 devices start the newest stable build, and no more than 10 crash before that.',
  },
  problematic: {
    label: 'Launch problems',
    tone: 'bad',
    meaning: 'Fewer than 80 of 100 devices start the newest stable build, or more than 10 crash before that.',
  },
  unrated: {
    label: 'Not rated yet',
    tone: 'none',
    meaning: 'Too few devices have reported how the newest stable build starts.',
  },
}

const dollars = once(() => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }))

export function priceText({ cents, free }: { cents: number; free: boolean }): string {
  return free ? 'Free' : dollars().format(cents / 100)
}

export const numberText = formatNumber

export const countText = plural

export const bytesText = formatBytes
