/** Replaces the parts of the page marked `data-live` when the server says that something changed. */
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
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = page.querySelector<HTMLElement>(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
    if (fresh && fresh.innerHTML !== old.innerHTML) replace(old, fresh)
  }
}

/**
 * The focused element keeps the focus, if the new part has it too. File inputs stay the same elements: the file that
 * somebody is choosing would be lost with them.
 */
function replace(old: HTMLElement, fresh: HTMLElement): void {
  const focused = old.contains(document.activeElement) ? document.activeElement?.id : undefined
  const opened = [...old.querySelectorAll('details[open]')].map(({ id }) => id)
  const inputs = [...old.querySelectorAll('input[type=file][id]')]
  old.replaceChildren(...fresh.childNodes)
  for (const input of inputs) document.getElementById(input.id)?.replaceWith(input)
  for (const id of opened) if (id) document.getElementById(id)?.setAttribute('open', '')
  if (focused) document.getElementById(focused)?.focus()
}
