/**
 * Runs on every page: `/` focuses the search, which then suggests; the theme changes without a reload, and a message gets the
 * focus in every browser.
 */
const finder = document.querySelector<HTMLInputElement>('.finder input')
if (finder) {
  finder.role = 'combobox'
  finder.ariaAutoComplete = 'list'
  finder.ariaExpanded = 'false'
  finder.addEventListener('focus', () => void loadBox(finder), { once: true })
  if (finder === document.activeElement) void loadBox(finder)
}

/** Most visits search for nothing: suggestions are loaded with the first focus. */
async function loadBox(box: HTMLInputElement): Promise<void> {
  const { startBox } = (await import(box.dataset.script ?? '')) as {
    startBox(box: HTMLInputElement): void
  }
  startBox(box)
}

document.addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
  event.preventDefault()
  finder?.focus()
})

const themes = document.querySelector<HTMLFormElement>('form[action="/theme"]')
themes?.addEventListener('submit', (event) => {
  const button = event.submitter
  if (!(button instanceof HTMLButtonElement)) return
  event.preventDefault()
  const body = new URLSearchParams({ theme: button.value })
  void fetch(themes.action, { method: 'POST', body, redirect: 'manual' })
  if (button.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = button.value
  for (const other of themes.querySelectorAll('button')) {
    other.setAttribute('aria-pressed', String(other === button))
  }
})

/** WebKit gives the focus to fields only, and elsewhere the fragment takes it. */
if (location.hash !== '' || document.activeElement === document.body)
  document.querySelector<HTMLElement>('main [autofocus]')?.focus()
