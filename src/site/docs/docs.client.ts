/** Filters the operations of the API reference and marks the current one in the menu. */
import '../components/copy-buttons.client.ts'

const filter = document.querySelector<HTMLInputElement>('#filter')
const matches = document.querySelector('#matches')
const introduction = document.querySelector<HTMLElement>('.docs .introduction')
const contents = document.querySelector<HTMLDetailsElement>('.docs .contents')
const operations = [...document.querySelectorAll<HTMLElement>('.docs .operation')]
const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('.docs .group li a')].map((link) => [
    link.hash.slice(1),
    link,
  ]),
)

if (contents) {
  contents.open = matchMedia('(min-width: 60rem)').matches
  contents.dataset.ready = ''
}

filter?.addEventListener('input', () => showMatches(filter.value))
filter?.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  filter.value = ''
  showMatches('')
})

function showMatches(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ dataset: { search = '' } }: HTMLElement) => words.every((word) => search.includes(word))
  for (const operation of operations) {
    operation.hidden = !fits(operation)
    links.get(operation.id)?.parentElement?.toggleAttribute('hidden', operation.hidden)
  }
  for (const group of document.querySelectorAll<HTMLElement>('.docs :is(.chapter, .group)'))
    group.hidden = group.querySelector(':is(.operation, li):not([hidden])') === null
  if (introduction) introduction.hidden = words.length > 0
  const shown = operations.filter(({ hidden }) => !hidden).length
  if (matches) matches.textContent = words.length > 0 ? `${shown} of ${operations.length} operations` : ''
  scrollTo({ top: 0, behavior: 'instant' })
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(target.id)?.setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
for (const operation of operations) watcher.observe(operation)
