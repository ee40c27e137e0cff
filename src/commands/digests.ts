import type { Deps } from '../deps.ts'
import { recordAllDigests } from '../features/community/digests/due.ts'
import { sendWaitingDigests } from '../features/community/digests/send.ts'
import { plural } from '../lib/text/show.ts'

const USAGE = 'digests takes: --now'

/** Sends all digests now. The jobs that would send them find nothing left to do. */
export async function runDigests(deps: Deps, options: readonly string[]): Promise<string> {
  if (options.length !== 1 || options[0] !== '--now') throw new Error(USAGE)
  await recordAllDigests(deps)
  const { sent, failed } = await sendWaitingDigests(deps, {
    signal: new AbortController().signal,
    log: deps.log,
  })
  const later = failed === 0 ? '' : ' The mail server did not take all of them; the others are tried again.'
  return `Sent ${plural(sent, 'digest')}.${later}`
}
