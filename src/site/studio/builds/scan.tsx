import { isAntivirus, isRefused, REFUSAL_TEXTS, type ScanState } from '../../../domain/builds/files.ts'
import type { BuildFile } from '../../../features/builds/registry/model.ts'

/** The worst state first. */
const ORDER: readonly ScanState[] = ['infected', 'error', 'scanning', 'clean']

/** The state of a build: the worst of its files, null without any. */
export function scanOf(files: readonly { scan: ScanState }[]): ScanState | null {
  return ORDER.find((state) => files.some(({ scan }) => scan === state)) ?? null
}

/** The engine of a build; if any file was only checked by an engine that is no antivirus, that one. */
export function engineOf(files: readonly { scan_engine: string | null }[]): string | null {
  return (files.find(({ scan_engine }) => !isAntivirus(scan_engine)) ?? files[0])?.scan_engine ?? null
}

/** What the scan found, and what becomes of a file that it refused. */
export function ScanDetail({
  file: { scan, scan_detail },
}: {
  file: Pick<BuildFile, 'scan' | 'scan_detail'>
}) {
  return (
    <>
      {scan_detail === null ? null : <p class="detail">{scan_detail}</p>}
      {isRefused(scan) ? <p class="detail quiet">{REFUSAL_TEXTS[scan].join(' ')}</p> : null}
    </>
  )
}
