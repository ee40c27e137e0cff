import type { ComponentChildren, FunctionComponent } from 'preact'

import { MAIN_APP } from '../../domain/builds/channels.ts'
import { isAntivirus, NO_ANTIVIRUS, type ScanState } from '../../domain/builds/files.ts'
import type { HealthBand } from '../../domain/builds/health.ts'
import { type OperatingSystem, SYSTEM_NAMES } from '../../domain/builds/platforms.ts'
import { type AssetType, type LicenseKind, type Status, TYPE_NAMES } from '../../domain/listings/listing.ts'
import type { Visibility } from '../../domain/listings/visibility.ts'
import { once } from '../../lib/flow/memoize.ts'
import { formatBytes, formatNumber, plural } from '../../lib/text/show.ts'
import { CheckIcon, ClockIcon, CrossIcon, QuestionIcon, WarningIcon } from '../components/icons.tsx'

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

export const VISIBILITY_LABELS: Readonly<Record<Visibility, string>> = {
  draft: 'Draft',
  owner: 'Only the owner',
  invisible: 'With the link',
  public: 'Public',
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

interface OfApp {
  app: string
  app_name: string
}

export function isMain({ app }: Pick<OfApp, 'app'>): boolean {
  return app === MAIN_APP
}

/** The name of another app; empty for the game itself. */
export function otherAppText(part: OfApp, before = ''): string {
  return isMain(part) ? '' : before + part.app_name
}

/** The parts of every other app, in their order. */
export function groupOtherApps<Part extends OfApp>(parts: readonly Part[]): Part[][] {
  const others = parts.filter((part) => !isMain(part))
  return [...Map.groupBy(others, ({ app }) => app).values()]
}

// Created on first use, because the first format takes 10 ms, which would delay the start.
const days = dateFormat({ dateStyle: 'medium' })
const moments = dateFormat({ dateStyle: 'medium', timeStyle: 'short' })
const daysOfYear = dateFormat({ day: 'numeric', month: 'short' })

function dateFormat(options: Intl.DateTimeFormatOptions) {
  return once(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }))
}

interface TimeProps {
  /** An ISO date or moment. */
  at: string
}

/** "31 Jan 2026". */
export function Day({ at }: TimeProps) {
  return <time dateTime={at}>{days().format(new Date(at))}</time>
}

/** "31 Jan 2026, 12:00 UTC". */
export function Moment({ at }: TimeProps) {
  return <time dateTime={at}>{moments().format(new Date(at))} UTC</time>
}

/** "31 Jan", for the axis of a chart. */
export function dayOfYearText(day: string): string {
  return daysOfYear().format(new Date(day))
}

/** "Friday 31 January at 18:00", in a time zone of one's own. */
export function zonedMomentText(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  })
  return format.format(new Date(at))
}

interface BadgeProps {
  tone?: Tone
  icon?: FunctionComponent
  children: ComponentChildren
}

/** A short label of a state. Its words carry the meaning; tone and icon only repeat it. */
export function Badge({ tone = 'none', icon: Icon, children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {Icon === undefined ? null : <Icon />}
      {children}
    </span>
  )
}

const HEALTH_ICONS = {
  good: CheckIcon,
  fair: CheckIcon,
  warn: WarningIcon,
  bad: WarningIcon,
  none: QuestionIcon,
}

export function HealthBadge({ band }: { band: HealthBand }) {
  const { label, tone } = HEALTH_TEXTS[band]
  return (
    <Badge tone={tone} icon={HEALTH_ICONS[tone]}>
      {label}
    </Badge>
  )
}

const SCAN_TEXTS = {
  clean: { tone: 'good', label: 'Scan clean', icon: CheckIcon },
  scanning: { tone: 'fair', label: 'Scanning', icon: ClockIcon },
  infected: { tone: 'bad', label: 'Infected', icon: CrossIcon },
  error: { tone: 'bad', label: 'Scan failed', icon: WarningIcon },
} as const

const COMPAT_TEXTS = {
  compatible: { tone: 'good', label: 'Compatible', icon: CheckIcon },
  unknown: { tone: 'none', label: 'Not known', icon: QuestionIcon },
  incompatible: { tone: 'bad', label: 'Incompatible', icon: WarningIcon },
} as const

export function CompatBadge({ status }: { status: keyof typeof COMPAT_TEXTS }) {
  const { label, ...look } = COMPAT_TEXTS[status]
  return <Badge {...look}>{label}</Badge>
}

/** `scan` is null for a build without a file. Only files that an antivirus has checked are called clean. */
export function ScanBadge({ scan, engine }: { scan: ScanState | null; engine: string | null }) {
  if (scan === null) return <Badge>No file</Badge>
  const { label, ...look } = SCAN_TEXTS[scan]
  return <Badge {...look}>{scan === 'clean' && !isAntivirus(engine) ? NO_ANTIVIRUS : label}</Badge>
}
