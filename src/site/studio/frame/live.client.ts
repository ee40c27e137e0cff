import { readPage, swap } from '../../kit/swap.client.ts'

/** Refreshes the parts of the page marked `data-live` when the server says that something changed. */
const source = document.querySelector<HTMLElement>('[data-events]')?.dataset.events
const SETTLE_MS = 200
let timer: ReturnType<typeof setTimeout> | undefined

document.addEventListener('refresh', soon)
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

async function refresh(): Promise<void> {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return
  const page = await readPage(response)
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = page.querySelector<HTMLElement>(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
    if (fresh) swap(old, fresh)
  }
}
