import { isLost, Lost } from '../components/lost.client.ts'
import { readPage, swap } from '../kit/swap.client.ts'

/** Filters the library while somebody types; without this script the form does it. */
const PAUSE_MS = 150
let request: AbortController | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const lost = new Lost({ retry: () => void show(), tooFast: 'You filter faster than this store allows.' })

const form = document.querySelector<HTMLFormElement>('#library-filter')

form?.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(() => void show(), PAUSE_MS)
})

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  clearTimeout(timer)
  void show()
})

function addressOf(shown: HTMLFormElement): string {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(shown))
    if (typeof value === 'string' && value !== '' && !(name === 'sort' && value === 'newest'))
      query.append(name, value)
  return query.size === 0 ? '/library' : `/library?${query.toString()}`
}

async function show(): Promise<void> {
  if (!form) return
  request?.abort()
  request = new AbortController()
  lost.begin()
  const address = addressOf(form)
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: request.signal })
    if (isLost(response)) return lost.miss(address, response)
    const page = response.ok ? await readPage(response) : null
    const [fresh, views] = [page?.querySelector('#library-found'), page?.querySelector('.views')]
    const current = document.querySelector('#library-found')
    if (!fresh || !current) return location.assign(address)
    swap(current, fresh)
    const shown = document.querySelector('.views')
    if (views && shown) swap(shown, views)
    lost.found()
    history.replaceState(null, '', address)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) lost.miss(address)
  }
}

/** The fields are not part of what is swapped. */
function choose(address: string): void {
  for (const [name, value] of new URL(address, location.href).searchParams) {
    const field = form?.elements.namedItem(name)
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
  }
}

const kept = Lost.kept()
if (kept !== null) {
  choose(kept)
  void show()
}

/** An open menu closes with Escape, which gives the focus back, and with a click beside it. */
document.addEventListener('keydown', (event) => {
  const open = document.querySelector<HTMLDetailsElement>('.more-acts[open]')
  if (event.key !== 'Escape' || !open) return
  open.open = false
  open.querySelector('summary')?.focus()
})
document.addEventListener('click', (event) => {
  const open = document.querySelector<HTMLDetailsElement>('.more-acts[open]')
  if (open && event.target instanceof Node && !open.contains(event.target)) open.open = false
})
