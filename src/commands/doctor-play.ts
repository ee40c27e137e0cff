import { lookup as lookUpName } from 'node:dns/promises'

import { playOrigin } from '../domain/play-origins.ts'
import { LATE, waitAtMost } from '../lib/flow/within.ts'
import { createUid } from '../lib/ids.ts'

const WAIT_MS = 5000
/** The system itself may try for half a minute. */
const LOOK_UP_MS = 3000
/** The codes of a certificate that browsers would refuse. */
const CERTIFICATE = /CERT|TLS|SSL|SIGNED|SIGNATURE/

export interface PlayCheck {
  ok: boolean
  warning?: boolean
  text: string
}

export interface Network {
  /** Throws for a name that does not resolve. */
  lookUp(host: string): Promise<unknown>
  request(url: string): Promise<Pick<Response, 'status' | 'headers'>>
}

const NETWORK: Network = {
  lookUp: (host) => lookUpName(host),
  request: (url) => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(WAIT_MS) }),
}

/** Whether browsers reach the origins of games: a wildcard name, its certificate, and that we answer there. */
export async function checkPlayOrigins(
  pattern: string | null,
  network = NETWORK,
  lookUpMs = LOOK_UP_MS,
): Promise<PlayCheck> {
  if (pattern === null) {
    const text = 'PLAY_URL is not set: web builds can be downloaded, but not played in the browser'
    return { ok: true, warning: true, text }
  }
  // Nobody's game: whatever the pattern makes of it must lead here.
  const origin = playOrigin(pattern, createUid())
  const { hostname } = new URL(origin)
  if (hostname.endsWith('.localhost')) {
    return { ok: true, text: `${pattern}, which browsers on this machine resolve by themselves` }
  }
  try {
    const found = await waitAtMost(lookUpMs, network.lookUp(hostname))
    if (found === LATE) {
      const text = `the name server did not answer for ${hostname} within ${lookUpMs / 1000} s. Check the DNS of this machine, then run this again.`
      return { ok: false, text }
    }
  } catch {
    const wildcard = pattern.replace(/^https?:\/\//, '')
    return { ok: false, text: `${hostname} does not resolve. Add a DNS record for ${wildcard}.` }
  }
  return await ask(origin, pattern, network)
}

async function ask(origin: string, pattern: string, network: Network): Promise<PlayCheck> {
  try {
    const { status, headers } = await network.request(`${origin}/`)
    if (status === 404 && headers.get('cross-origin-resource-policy') === 'cross-origin') {
      return { ok: true, text: `${pattern}, answers there` }
    }
    const text = `${origin} is answered by another program (status ${status}). Forward the wildcard host to Playshelf, with the Host header as it came.`
    return { ok: false, text }
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    if (CERTIFICATE.test(code)) {
      const text = `browsers refuse the certificate of ${origin} (${message}). Use one for the wildcard name.`
      return { ok: false, text }
    }
    const text = `${origin} does not answer (${message}). Run this again while the server runs.`
    return { ok: true, warning: true, text }
  }
}
