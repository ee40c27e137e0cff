import type { ComponentChildren, FunctionComponent } from 'preact'

import { isAntivirus, NO_ANTIVIRUS, type ScanState } from '../../domain/builds/files.ts'
import type { HealthBand } from '../../domain/builds/health.ts'
import { HEALTH_TEXTS, type Tone } from '../kit/labels.ts'
import { CheckIcon, ClockIcon, CrossIcon, QuestionIcon, WarningIcon } from './icons.tsx'

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
