import { serveSaves } from './saves.client.ts'

const BEAT_MS = 60_000
/** A ticket is not used this long before it expires, because the frame takes a moment to load. */
const MARGIN_MS = 10_000

const player = document.querySelector<HTMLElement>('[data-player]')
if (player) prepare(player)

function prepare(player: HTMLElement): void {
  const part = (name: string) => player.querySelector<HTMLElement>(name)
  const start = part('[data-start]')
  const restart = part('[data-restart]')
  const fullScreen = part('[data-fullscreen]')
  const fault = part('[data-fault]')
  const { url = '', seconds, autostart, heartbeat, jam, beat } = player.dataset
  let isUsed = false

  start?.addEventListener('click', () => void open())
  restart?.addEventListener('click', () => void open())
  if (document.fullscreenEnabled) fullScreen?.addEventListener('click', () => void toggleFullScreen())
  else fullScreen?.remove()
  serveSaves({ player, origin: new URL(url).origin, restart: () => void open() })
  if (autostart !== undefined) void open()

  async function open(): Promise<void> {
    try {
      const address = await takeAddress()
      // The game can no longer be played; the reloaded page says why.
      if (address === undefined) location.reload()
      else show(address)
    } catch {
      if (fault) fault.hidden = false
    }
  }

  /** An address with a ticket works once, within a minute. After that a new one is read from the page. */
  async function takeAddress(): Promise<string | undefined> {
    if (seconds === undefined) return url
    const isValid = !isUsed && performance.now() < Number(seconds) * 1000 - MARGIN_MS
    isUsed = true
    if (isValid) return url
    const text = await (await fetch(location.href)).text()
    const page = new DOMParser().parseFromString(text, 'text/html')
    return page.querySelector<HTMLElement>('[data-player]')?.dataset.url
  }

  /** Replaces the frame, because changing its address would add an entry to the browser's history. */
  function show(src: string): void {
    const frame = player.querySelector('iframe')
    const fresh = frame?.cloneNode() as HTMLIFrameElement | undefined
    if (!frame || !fresh) return
    fresh.src = src
    fresh.hidden = false
    const focused = document.activeElement
    const focus = () => {
      if ([focused, document.body].includes(document.activeElement)) fresh.focus()
    }
    // The frame receives keys only if it is focused after it has loaded.
    fresh.addEventListener('load', focus, { once: true })
    frame.after(fresh)
    frame.remove()
    if (fault) fault.hidden = true
    if (restart) restart.hidden = false
    if ('running' in player.dataset) return
    player.dataset.running = ''
    if (heartbeat !== undefined)
      reportPlayTime(heartbeat, jam, beat === undefined ? BEAT_MS : Number(beat) * 1000)
  }

  async function toggleFullScreen(): Promise<void> {
    if (document.fullscreenElement) await document.exitFullscreen()
    else await player.requestFullscreen()
    part('iframe:not([hidden])')?.focus()
  }
}

/** Reports while the page is visible. Each visible period is a session, so background time is not counted. */
function reportPlayTime(path: string, jam: string | undefined, everyMs: number): void {
  let session = ''
  let timer: ReturnType<typeof setInterval> | undefined
  const beat = () =>
    void fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, jam }),
      keepalive: true,
    }).catch(() => {})
  const follow = () => {
    clearInterval(timer)
    if (document.visibilityState === 'visible') {
      session = Math.random().toString(36).slice(2)
      timer = setInterval(beat, everyMs)
    }
    if (session !== '') beat()
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
