import { setTimeout as sleep } from 'node:timers/promises'

import {
  isAntivirus,
  isRefused,
  NO_ANTIVIRUS,
  REFUSAL_TEXTS,
  type ScanState,
} from '../../domain/builds/files.ts'
import type { Build } from '../../features/builds/registry/model.ts'
import type { ApiClient } from '../api/client.ts'
import { TOOL } from '../api/project.ts'
import { CliError } from '../cli-error.ts'
import type { Output } from '../ui/output.ts'

const FIRST_POLL_MS = 500
const SLOWEST_POLL_MS = 5000

export async function fetchBuild(api: ApiClient, buildId: string): Promise<Build> {
  return await api.call<Build>(`${TOOL}/builds/${encodeURIComponent(buildId)}`)
}

/** Waits until no file of the build is being scanned. */
export async function waitForScan(api: ApiClient, output: Output, buildId: string): Promise<Build> {
  let build = await fetchBuild(api, buildId)
  if (isScanned(build)) return build
  using phase = output.phase('scanning', build.files.map(({ filename }) => filename).join(', '), 0)
  for (let pause = FIRST_POLL_MS; !isScanned(build); pause = Math.min(pause * 1.5, SLOWEST_POLL_MS)) {
    await sleep(pause, undefined, { signal: api.signal })
    build = await fetchBuild(api, buildId)
    phase.advance(0)
  }
  return build
}

/** A file is called clean only where an antivirus looked; older stores do not tell what did. */
export function describeScan({
  scan,
  scan_engine,
}: {
  scan: ScanState
  scan_engine?: string | null
}): string {
  const isUnsure = scan === 'clean' && scan_engine !== undefined && !isAntivirus(scan_engine)
  return isUnsure ? NO_ANTIVIRUS.toLowerCase() : scan
}

/** Throws for a file that players will not get. */
export function requireClean(build: Build, fileUid?: string): void {
  for (const { file_uid, filename, scan, scan_detail } of build.files) {
    if ((fileUid !== undefined && file_uid !== fileUid) || !isRefused(scan)) continue
    const outcome = scan === 'infected' ? 'is infected' : 'could not be scanned'
    throw new CliError('scan', `${filename} ${outcome}: ${scan_detail ?? 'no reason was given'}`, {
      hint: REFUSAL_TEXTS[scan].join(' '),
    })
  }
}

function isScanned({ files }: Build): boolean {
  return files.every(({ scan }) => scan !== 'scanning')
}
