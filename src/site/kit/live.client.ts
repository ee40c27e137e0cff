import { readPage, swap } from './swap.client.ts'

/**
 * Refreshes the parts of the page marked `data-live` when the server says that something changed, or, while one of
 * them has `data-poll`, after that many seconds.
 */
const source = document.querySelector<HTMLElement>('[data-events]')?.dataset.events
const SETTLE_MS = 200
let timer: ReturnType<typeof setTimeout> | undefined
let reading = new AbortController()

document.addEventListener('refresh', soon)
poll()
if (source !== undefined) {
  const events = new EventSource(source)
  events.addEventListener('change', soon)
  // What changed since the page was made, or while the connection was lost, is not reported.
  events.addEventListener('open', soon)
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
  // An older answer must not replace a newer one.
  reading.abort()
  reading = new AbortController()
  const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal: reading.signal })
  if (!response.ok) return
  const page = await readPage(response)
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = page.querySelector<HTMLElement>(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
    if (fresh) swap(old, fresh)
  }
}
