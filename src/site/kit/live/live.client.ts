import { readPage, swap } from '../swap.client.ts'

/**
 * Refreshes the parts of the page marked `data-live` when the server reports a change, and every `data-poll`
 * seconds while one of them has that attribute.
 */
const source = document.querySelector<HTMLElement>('[data-events]')?.dataset.events
const SETTLE_MS = 200
const AGAIN_MS = 15_000
let timer: ReturnType<typeof setTimeout> | undefined
/** Refreshes are numbered: an older answer must not replace a newer one. */
let asked = 0
let shown = 0

document.addEventListener('refresh', soon)
poll()
if (source !== undefined) watch(source)

function watch(address: string): void {
  const events = new EventSource(address)
  events.addEventListener('change', soon)
  // Changes from before the connection, or while it was lost, are not reported: refresh once.
  events.addEventListener('open', soon)
  // Browsers do not reconnect after an error response, even if the store was only starting.
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(watch, AGAIN_MS, address)
  })
}

function soon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void refresh().catch(() => undefined), SETTLE_MS)
}

function poll(): void {
  const seconds = document.querySelector<HTMLElement>('[data-live] [data-poll]')?.dataset.poll
  if (seconds === undefined) return
  const again = async () => {
    if (!document.hidden) await refresh().catch(() => undefined)
    poll()
  }
  setTimeout(() => void again(), Number(seconds) * 1000)
}

async function refresh(): Promise<void> {
  asked += 1
  const turn = asked
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return
  const page = await readPage(response)
  if (turn < shown) return
  shown = turn
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = page.querySelector<HTMLElement>(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
    if (fresh) swap(old, fresh)
  }
}
