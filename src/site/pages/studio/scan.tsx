import type { ScanState } from '../../../domain/files.ts'
import { CheckIcon, ClockIcon, CrossIcon, WarningIcon } from '../../components/icons.tsx'

const TEXTS = {
  clean: { tone: 'good', label: 'Clean', Icon: CheckIcon },
  scanning: { tone: 'fair', label: 'Scanning', Icon: ClockIcon },
  infected: { tone: 'bad', label: 'Infected', Icon: CrossIcon },
  error: { tone: 'bad', label: 'Scan failed', Icon: WarningIcon },
} as const

/** The worst state first. */
const ORDER: readonly ScanState[] = ['infected', 'error', 'scanning', 'clean']

/** The state of a build: the worst of its files, null without any. */
export function scanOf(files: readonly { scan: ScanState }[]): ScanState | null {
  return ORDER.find((state) => files.some(({ scan }) => scan === state)) ?? null
}

export function ScanBadge({ scan }: { scan: ScanState | null }) {
  if (scan === null) return <span class="badge">No file</span>
  const { tone, label, Icon } = TEXTS[scan]
  return (
    <span class={`badge ${tone}`}>
      <Icon /> {label}
    </span>
  )
}
