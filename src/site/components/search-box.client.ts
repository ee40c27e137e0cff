/**
 * Suggestions below the search box, after the combobox pattern: the box keeps the focus, arrows move through the
 * options, Enter opens the active one, Escape closes them. Without this script the box is a plain search.
 */
const SETTLE_MS = 120
const LETTERS_MIN = 2
const KEPT_MAX = 50

/** The answers of this page, so that a deleted letter asks for nothing. */
const known = new Map<string, Promise<Element[]>>()

export function startBox(box: HTMLInputElement): void {
  const options = document.createElement('div')
  options.id = 'suggestions'
  options.className = 'suggestions'
  options.role = 'listbox'
  options.ariaLabel = 'Suggestions'
  options.hidden = true
  const status = document.createElement('p')
  status.className = 'visually-hidden'
  status.role = 'status'
  box.form?.append(options, status)
  box.setAttribute('aria-controls', options.id)

  let active: HTMLAnchorElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  box.addEventListener('input', () => soon(SETTLE_MS))
  box.addEventListener('blur', close)
  box.form?.addEventListener('submit', close)
  box.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (options.hidden) soon(0)
      else move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter' && active) {
      // The active option instead of the form.
      event.preventDefault()
      active.click()
    } else if (event.key === 'Escape' && !options.hidden) {
      // Once more empties the box, as browsers do.
      event.preventDefault()
      close()
    }
  })
  // The box keeps the focus while an option is pressed.
  options.addEventListener('mousedown', (event) => event.preventDefault())
  options.addEventListener('click', close)
  soon(0)

  function soon(wait: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void suggest(box.value.trim()), wait)
  }

  async function suggest(text: string): Promise<void> {
    const groups = text.length < LETTERS_MIN ? [] : await ask(text).catch(() => [])
    // The answer to what was typed before comes too late.
    if (box.value.trim() !== text || document.activeElement !== box) return
    if (groups.length === 0) return close()
    options.replaceChildren(...groups)
    activate(null)
    open(true)
    const count = all().length
    status.textContent = `${count} ${count === 1 ? 'suggestion' : 'suggestions'}`
  }

  function open(isOpen: boolean): void {
    options.hidden = !isOpen
    box.ariaExpanded = String(isOpen)
  }

  function close(): void {
    clearTimeout(timer)
    open(false)
    activate(null)
    status.textContent = ''
  }

  function all(): HTMLAnchorElement[] {
    return [...options.querySelectorAll<HTMLAnchorElement>('[role=option]')]
  }

  /** Before the first option and after the last one is the box itself. */
  function move(step: 1 | -1): void {
    const places = [null, ...all()]
    activate(places.at((places.indexOf(active) + step) % places.length) ?? null)
  }

  function activate(option: HTMLAnchorElement | null): void {
    if (active) active.ariaSelected = 'false'
    active = option
    if (!option) return box.removeAttribute('aria-activedescendant')
    option.ariaSelected = 'true'
    option.scrollIntoView({ block: 'nearest' })
    box.setAttribute('aria-activedescendant', option.id)
  }
}

function ask(text: string): Promise<Element[]> {
  const answer = known.get(text) ?? load(text)
  known.delete(text)
  known.set(text, answer)
  const [oldest] = known.keys()
  if (known.size > KEPT_MAX && oldest !== undefined) known.delete(oldest)
  // A failure is asked again.
  answer.catch(() => known.delete(text))
  return answer
}

async function load(text: string): Promise<Element[]> {
  const response = await fetch(`/suggestions?${new URLSearchParams({ q: text }).toString()}`)
  if (!response.ok) throw new Error(String(response.status))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return [...page.body.children]
}
