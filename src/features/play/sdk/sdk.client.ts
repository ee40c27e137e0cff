import { toBytes } from './input.ts'
import type { Saves, SdkFacts, Told } from './types.ts'

/** The server wraps this script into a function that gets them. */
declare const FACTS: SdkFacts

interface Playshelf {
  bootOk(): Promise<boolean>
  event(name: string, data?: object): Promise<boolean>
  crash(error: unknown): Promise<boolean>
  saves: Pick<Saves, 'list' | 'read' | 'write'> & { on(name: keyof Told, hear: never): void }
  readonly player: Saves['player']
}

declare global {
  // Only `var` declares a global.
  // oxlint-disable-next-line no-var
  var playshelf: Playshelf | undefined
}

function start(): void {
  const { baseUrl, gameUid, buildUid, version } = FACTS
  let left = 20
  let isBooted = false
  const newId = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
      '',
    )
  const session = newId()
  let device: string | null = null
  try {
    device = localStorage.getItem('playshelf.device')
    if (!device) localStorage.setItem('playshelf.device', (device = newId()))
  } catch {
    device = session
  }

  const send = (route: string, body: object) =>
    fetch(`${baseUrl}/api/v1/public/${route}`, {
      method: 'POST',
      mode: 'cors',
      credentials: 'omit',
      keepalive: true,
      headers: { 'content-type': 'application/json', 'x-app-id': gameUid, 'x-build-id': buildUid },
      body: JSON.stringify(body),
    }).then(
      ({ ok }) => ok,
      () => false,
    )
  const about = () => ({ device_id: device, session_id: session, at: new Date().toISOString() })
  const event = (name: string, data?: object) =>
    send('events', { events: [{ name, ...about(), ...(data && { metadata: data }) }] })
  const bootOk = () => (isBooted ? Promise.resolve(true) : ((isBooted = true), event('boot_ok')))
  const crash = (error: unknown) => {
    if (left-- <= 0) return Promise.resolve(false)
    const { message, stack } = (error ?? {}) as Partial<Error>
    return send('crashes', {
      ...about(),
      before_boot: !isBooted,
      reason: String(message ?? error).slice(0, 1000) || 'Error',
      frames: [],
      os: 'web',
      client_version: version,
      log: String(stack ?? error).slice(0, 100_000),
    })
  }
  addEventListener('error', ({ error, message }) => {
    if (error || message) void crash(error ?? message)
  })
  addEventListener('unhandledrejection', ({ reason }) => void crash(reason))

  const told: Told = {}
  let opening: Promise<Saves> | undefined
  let opened: Saves | undefined
  let tries = 0
  /** The script for saves is loaded by the first use. A browser remembers a failed address, so each try has its own. */
  const open = () =>
    (opening ??= import(`/.playshelf/saves.js?${tries++}`)
      .then((script: { openSaves(facts: SdkFacts, told: Told): Promise<Saves> }) =>
        script.openSaves(FACTS, told),
      )
      .then((saves) => (opened = saves))
      .catch((error: unknown) => {
        opening = undefined
        throw error
      }))
  const saves = Object.freeze({
    list: () => open().then((own) => own.list()),
    read: (slot: string) => open().then((own) => own.read(slot)),
    write: async (slot: string, data: unknown) => {
      // Copied before the script is there.
      const bytes = toBytes(data)
      return await open().then((own) => own.write(slot, bytes))
    },
    on: (name: keyof Told, hear: never) => void (told[name] = hear),
  })
  globalThis.playshelf = Object.freeze({
    bootOk,
    event,
    crash,
    saves,
    get player() {
      return opened?.player ?? null
    },
  })
}

if (!globalThis.playshelf) start()
