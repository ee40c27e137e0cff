import { readPage, swap } from './swap.client.ts'

/**
 * Refreshes the parts of the page marked `data-live` when the server says that something changed, or, while one of
 * them has `data-poll`, after that many seconds.
 */
const source = document.querySelector<HTMLElement>('[data-events]')?.dataset.events
const SETTLE_MS = 200
let timer: ReturnType<typeof setTimeout> | undefined

document.addEventListener('refresh', soon)
poll()
if (source !== undefined) {
  const events = new EventSource(source)
  let hasOpened = false
  events.addEventListener('change', soon)
  // What changed while the connection was lost is not reported again.
  events.addEventListener('open', () => {
    if (hasOpened) soon()
    hasOpened = true
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
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return
  const page = await readPage(response)
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = page.querySelector<HTMLElement>(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
    if (fresh) swap(old, fresh)
  }
}
