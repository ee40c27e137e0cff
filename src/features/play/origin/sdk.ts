import { sha256Hex } from '../../../lib/bytes/hash.ts'

export const SDK_PATH = '/.playshelf/sdk.js'

export interface SdkTarget {
  baseUrl: string
  gameUid: string
  buildUid: string
  version: string
}

const EXPORTS = 'export const { bootOk, event, crash } = globalThis.playshelf\n'

/** A plain script with the global `playshelf`, or for `import` a module that exports the same functions. */
export function sdkFor({ headers }: Request, target: SdkTarget): string {
  // Browsers fetch modules by CORS, and plain scripts without.
  return writeScript(target) + (headers.get('sec-fetch-mode') === 'cors' ? EXPORTS : '')
}

/** Sends to the ingest routes for this build. */
function writeScript({ baseUrl, gameUid, buildUid, version }: SdkTarget): string {
  const facts = JSON.stringify({ url: `${baseUrl}/api/v1/public/`, gameUid, buildUid, version })
  return `(facts => {
  if (globalThis.playshelf) return
  let left = 20, booted = false, device
  const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const session = newId()
  try {
    device = localStorage.getItem('playshelf.device')
    if (!device) localStorage.setItem('playshelf.device', (device = newId()))
  } catch { device = session }
  const send = (route, body) =>
    fetch(facts.url + route, {
      method: 'POST', mode: 'cors', credentials: 'omit', keepalive: true,
      headers: { 'content-type': 'application/json', 'x-app-id': facts.gameUid, 'x-build-id': facts.buildUid },
      body: JSON.stringify(body),
    }).then((answer) => answer.ok, () => false)
  const about = () => ({ device_id: device, session_id: session, at: new Date().toISOString() })
  const event = (name, data) => send('events', { events: [{ name, ...about(), ...(data && { metadata: data }) }] })
  const bootOk = () => booted ? Promise.resolve(true) : ((booted = true), event('boot_ok'))
  const crash = (error) => {
    if (left-- <= 0) return Promise.resolve(false)
    const reason = String(error?.message ?? error).slice(0, 1000) || 'Error'
    return send('crashes', { ...about(), before_boot: !booted, reason, frames: [], os: 'web', client_version: facts.version, log: String(error?.stack ?? error).slice(0, 100000) })
  }
  addEventListener('error', (found) => { if (found.error || found.message) crash(found.error ?? found.message) })
  addEventListener('unhandledrejection', ({ reason }) => { crash(reason) })
  globalThis.playshelf = Object.freeze({ bootOk, event, crash })
})(${facts})
`
}

export function sdkTag(text: string): string {
  return `"${sha256Hex(text)}"`
}
