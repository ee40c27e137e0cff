const filter = document.getElementById('filter')
const matches = document.getElementById('matches')
const operations = [...document.querySelectorAll('.operation')]
const links = new Map(
  [...document.querySelectorAll('.chapter-menu li a')].map((link) => [link.hash.slice(1), link]),
)

document.querySelector('.filter').hidden = false
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('.menu').open = false

filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const operation of operations) {
    const fits = words.every((word) => operation.dataset.search.includes(word))
    operation.hidden = !fits
    links.get(operation.id).parentElement.hidden = !fits
    if (fits) shown += 1
  }
  for (const group of document.querySelectorAll('.chapter, .chapter-menu')) {
    const member = group.matches('.chapter') ? '.operation' : 'li'
    group.hidden = !group.querySelector(`${member}:not([hidden])`)
  }
  document.querySelector('.introduction').hidden = words.length > 0
  scrollTo({ top: 0, behavior: 'instant' })
  matches.textContent = words.length > 0 ? `${shown} of ${operations.length} operations` : ''
})

document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
  if (event.key === '/' && !typing) {
    event.preventDefault()
    filter.focus()
  }
  if (event.key === 'Escape' && document.activeElement === filter) {
    filter.value = ''
    filter.dispatchEvent(new Event('input'))
  }
})

for (const button of document.querySelectorAll('.copy')) {
  button.hidden = !navigator.clipboard
  const title = button.parentElement.firstChild.textContent.trim().toLowerCase()
  button.setAttribute('aria-label', `Copy the ${title}`)
  const say = (text) => {
    button.textContent = text
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  }
  button.addEventListener('click', () => {
    const text = button.closest('.sample').querySelector('pre').textContent
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not allowed'),
    )
  })
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(target.id).setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
for (const operation of operations) watcher.observe(operation)
