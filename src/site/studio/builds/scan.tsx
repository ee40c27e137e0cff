import { isAntivirus, NO_ANTIVIRUS, type ScanState } from '../../../domain/builds/files.ts'
import { CheckIcon, ClockIcon, CrossIcon, WarningIcon } from '../../components/icons.tsx'

const TEXTS = {
  clean: { tone: 'good', label: 'Scan clean', Icon: CheckIcon },
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

/** The engine of a build: one that is no antivirus, if any of its files has only been checked by that. */
export function engineOf(files: readonly { scan_engine: string | null }[]): string | null {
  return (files.find(({ scan_engine }) => !isAntivirus(scan_engine)) ?? files[0])?.scan_engine ?? null
}

export function ScanBadge({ scan, engine }: { scan: ScanState | null; engine: string | null }) {
  if (scan === null) return <span class="badge">No file</span>
  const { tone, label, Icon } = TEXTS[scan]
  const isUnsure = scan === 'clean' && !isAntivirus(engine)
  return (
    <span class={`badge ${tone}`}>
      <Icon /> {isUnsure ? NO_ANTIVIRUS : label}
    </span>
  )
}
