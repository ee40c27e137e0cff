import { isLost, Lost } from '../components/lost.client.ts'
import { readPage, swap } from '../kit/swap.client.ts'

/** Filters and pages update the results in place; the address always matches what is shown. */
let request: AbortController | null = null

type Step = 'push' | 'none'

/** A request that failed. */
let missed: { address: string; step: Step } | null = null
const lost = new Lost({ retry, tooFast: 'You search faster than this store allows.' })

document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement)) return
  const { form } = event.target
  if (form?.id === 'filter-form' || form?.id === 'sort-form') {
    untickOthers(event.target)
    void show(addressOf(form), 'push')
  }
})

document.addEventListener('submit', (event) => {
  if (!(event.target instanceof HTMLFormElement) || event.target.getAttribute('action') !== '/search') return
  event.preventDefault()
  // The results under the sheet were changed with each tick: they only have to be shown.
  closeSheet()
  void show(addressOf(event.target), 'push')
})

/** Wider windows have the filters beside the results, where an open sheet would stay on top of them. */
matchMedia('(width >= 60rem)').addEventListener('change', closeSheet)

function closeSheet(): void {
  document.querySelector<HTMLElement>('.filters:popover-open')?.hidePopover()
}

document.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return
  const link = event.target.closest<HTMLAnchorElement>('#browse a[href^="/search"]')
  if (!link) return
  event.preventDefault()
  const isPage = link.closest('.pages') !== null
  void follow(link.href, isPage)
})

/** A new page of results starts at its top. */
async function follow(address: string, isPage: boolean): Promise<void> {
  await show(address, 'push')
  if (isPage) document.querySelector('#results')?.scrollIntoView()
}

addEventListener('popstate', () => void show(location.href, 'none'))

document.addEventListener('input', (event) => {
  if (event.target instanceof HTMLInputElement && event.target.dataset.filters) narrow(event.target)
})

/** Hides the values of a group that do not contain the text in its search box. */
function narrow(box: HTMLInputElement): void {
  const wanted = box.value.trim().toLowerCase()
  for (const row of box.closest('fieldset')?.querySelectorAll<HTMLElement>('.value') ?? []) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted)
  }
}

/** Unticks the opposite of a ticked value, and all other values in groups that take only one. */
function untickOthers(input: HTMLInputElement | HTMLSelectElement): void {
  if (!(input instanceof HTMLInputElement) || !input.checked) return
  const rivals = input.closest('[data-single]') ?? input.closest('.value')
  for (const other of rivals?.querySelectorAll('input') ?? []) {
    if (other !== input) other.checked = false
  }
}

function addressOf(form: HTMLFormElement): string {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value !== '' && !(name === 'sort' && value === 'relevance'))
      query.append(name, value)
  }
  return query.size === 0 ? '/search' : `/search?${query.toString()}`
}

function retry(): void {
  if (missed) void show(missed.address, missed.step)
}

async function show(address: string, step: Step): Promise<void> {
  request?.abort()
  request = new AbortController()
  missed = null
  lost.begin()
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: request.signal })
    if (isLost(response)) return miss(address, step, response)
    if (!response.ok) return location.assign(address)
    const page = await readPage(response)
    const next = page.querySelector('#browse')
    const current = document.querySelector('#browse')
    if (!next || !current) return location.assign(address)
    const focused = current.contains(document.activeElement)
    swap(current, next)
    // A removed filter takes its link, and with it the focus, away.
    if (focused && !current.contains(document.activeElement))
      document.querySelector<HTMLElement>('#results')?.focus({ preventScroll: true })
    lost.found()
    document.title = page.title
    if (step === 'push' && response.url !== location.href) history.pushState(null, '', response.url)
    for (const box of current.querySelectorAll<HTMLInputElement>('[data-filters]')) narrow(box)
    showWords(page)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return
    miss(address, step)
  }
}

/** The box of the header stands outside of what is swapped. */
function showWords(page: Document): void {
  const box = document.querySelector<HTMLInputElement>('.finder input')
  if (box && box !== document.activeElement)
    box.value = page.querySelector<HTMLInputElement>('.finder input')?.value ?? ''
}

/** Keeps what was chosen until the store answers. */
function miss(address: string, step: Step, response?: Response): void {
  missed = { address, step }
  lost.miss(address, response)
}

const kept = Lost.kept()
if (kept !== null) void show(kept, 'push')
