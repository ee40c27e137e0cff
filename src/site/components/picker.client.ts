/**
 * Lets people search for listings and order the chosen ones, with pictures, instead of typing addresses. The
 * collapsed text field still holds the value that is sent; without script only the field is shown.
 */
const SEARCH_MS = 200
const PICKER = '/picker'
const ADDRESS = /\/games\/([^/?#\s]+)/

let count = 0

for (const root of document.querySelectorAll<HTMLElement>('[data-picker]')) startPicker(root)

function startPicker(root: HTMLElement): void {
  const control = root.querySelector<HTMLInputElement | HTMLTextAreaElement>('.field input, .field textarea')
  const label = root.querySelector('label')
  if (!control || !label) return
  const { picker: kind = 'list', max = '1', types = '', self = '' } = root.dataset
  const most = Number(max)
  const title = label.textContent

  count += 1
  const chosen =
    root.querySelector<HTMLElement>('.picked') ?? make('ol', { className: 'picked', ariaLabel: title })
  const options = make('ul', { className: 'picker-options', id: `picker-${count}`, ariaLabel: title })
  const status = make('p', { className: 'hint' })
  const box = make('input', { className: 'input', type: 'text', autocomplete: 'off' })
  const plain = make('details', { className: 'picker-plain' })
  let active: HTMLElement | null = null
  let timer = 0
  let request: AbortController | null = null
  let isOwnChange = false

  options.role = 'listbox'
  options.hidden = true
  status.role = 'status'
  box.id = control.id
  box.role = 'combobox'
  box.placeholder = 'Search by name'
  for (const [name, value] of Object.entries({
    autocomplete: 'list',
    expanded: 'false',
    controls: options.id,
  }))
    box.setAttribute(`aria-${name}`, value)
  for (const name of ['aria-describedby', 'aria-invalid']) {
    const value = control.getAttribute(name)
    if (value !== null) box.setAttribute(name, value)
  }
  control.id = `${box.id}-plain`
  control.ariaLabel = `${title}, as addresses`
  plain.append(make('summary', { textContent: 'Write addresses instead' }))
  const around = make('div', { className: 'picker-box' })
  around.append(box, options)
  if (chosen.isConnected) label.after(around, status, plain)
  else label.after(chosen, around, status, plain)
  plain.append(control)

  for (const entry of entries()) addButtons(entry)
  if (kind !== 'places') void readControl()

  box.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void search(box.value.trim()), SEARCH_MS)
  })
  box.addEventListener('blur', close)
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (options.hidden) void search(box.value.trim())
      else activate(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter') {
      // Enter chooses the active option instead of submitting the form.
      event.preventDefault()
      if (active) choose(active)
    } else if (event.key === 'Escape' && !options.hidden) {
      event.preventDefault()
      close()
    }
  })
  // The box keeps the focus while an option is clicked.
  options.addEventListener('mousedown', (event) => event.preventDefault())
  options.addEventListener('click', (event) => {
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option]') : null
    if (option) choose(option)
  })
  control.addEventListener('input', () => {
    if (isOwnChange || kind === 'places') return
    clearTimeout(timer)
    timer = setTimeout(() => void readControl(), SEARCH_MS)
  })

  function entries(): HTMLElement[] {
    return [...chosen.children].filter((entry) => entry instanceof HTMLElement)
  }

  function names(): string[] {
    return entries().map((entry) => entry.dataset.name ?? '')
  }

  /** Shows the listings in the text field: immediately by address, then with pictures once loaded. */
  async function readControl(): Promise<void> {
    const wanted = [...new Set((control?.value ?? '').split(/[\s,]+/).filter(Boolean))]
    if (wanted.join() === names().join()) return
    chosen.replaceChildren(...wanted.map(nameless))
    for (const entry of entries()) addButtons(entry)
    const found = wanted.length === 0 ? null : await ask({ names: wanted.join() }, new AbortController())
    for (const entry of found ? entries() : []) {
      if (entry.dataset.uid !== undefined) continue
      const pictured = found?.find(({ dataset }) => dataset.name === entry.dataset.name)
      if (pictured) {
        entry.dataset.uid = pictured.dataset.uid
        entry.replaceChildren(...pictured.children)
        addButtons(entry)
      } else
        entry
          .querySelector('.picker-words')
          ?.append(make('span', { className: 'quiet small', textContent: 'not public' }))
    }
  }

  async function search(text: string): Promise<void> {
    if (text === '') return close()
    const [, name] = ADDRESS.exec(text) ?? []
    request?.abort()
    request = new AbortController()
    const found = await ask(name === undefined ? { q: text, types } : { names: name }, request)
    if (!found || box.value.trim() !== text) return
    const taken = new Set([...names(), self])
    const fresh = found.filter((entry) => !taken.has(entry.dataset.name ?? ''))
    fresh.forEach((entry, index) => {
      entry.role = 'option'
      entry.id = `${options.id}-${index}`
      entry.ariaSelected = 'false'
    })
    options.replaceChildren(...fresh)
    active = null
    open(fresh.length > 0)
    activate(1)
    tell(fresh.length === 0 ? `Nothing public is called “${text}”.` : '')
  }

  async function ask(
    parameters: Record<string, string>,
    { signal }: AbortController,
  ): Promise<HTMLElement[] | null> {
    try {
      const address = `${PICKER}?${new URLSearchParams(parameters).toString()}`
      const answer = await fetch(address, { signal })
      if (!answer.ok) throw new Error(String(answer.status))
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      return [...page.querySelectorAll('li')]
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError'))
        tell('The search cannot be reached. Try again in a moment, or write addresses instead.')
      return null
    }
  }

  function open(isOpen: boolean): void {
    options.hidden = !isOpen
    box.ariaExpanded = String(isOpen)
  }

  function close(): void {
    open(false)
    active = null
    box.removeAttribute('aria-activedescendant')
  }

  function activate(step: 1 | -1): void {
    const all = [...options.children].filter((option) => option instanceof HTMLElement)
    if (all.length === 0) return
    const from = active ? all.indexOf(active) : -1
    if (active) active.ariaSelected = 'false'
    active = all.at((from + step) % all.length) ?? null
    if (!active) return
    active.ariaSelected = 'true'
    active.scrollIntoView({ block: 'nearest' })
    box.setAttribute('aria-activedescendant', active.id)
  }

  function choose(option: HTMLElement): void {
    close()
    const isOne = kind === 'one'
    if (!isOne && entries().length >= most) return tell(`There is room for ${most}. Remove one first.`)
    const entry = option.cloneNode(true) as HTMLElement
    for (const name of ['role', 'id', 'aria-selected']) entry.removeAttribute(name)
    if (isOne) chosen.replaceChildren(entry)
    else chosen.append(entry)
    addButtons(entry)
    box.value = ''
    change(`${titleOf(entry)} is added${isOne ? '' : `, as ${entries().length} of at most ${most}`}.`)
  }

  function addButtons(entry: HTMLElement): void {
    const name = titleOf(entry)
    const buttons = make('span', { className: 'picked-buttons' })
    const add = (text: string, words: string, act: (button: HTMLElement) => void) => {
      const button = make('button', { type: 'button', textContent: text, ariaLabel: `${words} ${name}` })
      button.className = 'button second'
      button.addEventListener('click', () => act(button))
      buttons.append(button)
    }
    if (kind !== 'one') {
      add('↑', 'Move up', (button) => move(entry, -1, button))
      add('↓', 'Move down', (button) => move(entry, 1, button))
    }
    add('×', 'Remove', () => {
      entry.remove()
      change(`${name} is removed.`)
      box.focus()
    })
    entry.append(buttons)
  }

  function move(entry: HTMLElement, step: 1 | -1, button: HTMLElement): void {
    const other = step === 1 ? entry.nextElementSibling : entry.previousElementSibling
    if (!other) return
    if (step === 1) other.after(entry)
    else other.before(entry)
    button.focus()
    change(`${titleOf(entry)} is now ${entries().indexOf(entry) + 1} of ${entries().length}.`)
  }

  /** Writes the choice into the fields that the form sends. */
  function change(words: string): void {
    tell(words)
    if (kind === 'places') entries().forEach(number)
    else if (control) control.value = names().join(', ')
    isOwnChange = true
    control?.dispatchEvent(new Event('input', { bubbles: true }))
    isOwnChange = false
  }

  function tell(words: string): void {
    status.textContent = words
  }
}

/** Writes the entry's place into its own hidden field. */
function number(entry: HTMLElement, index: number): void {
  let field = entry.querySelector('input')
  if (!field) {
    field = make('input', { type: 'hidden', name: `place.${entry.dataset.uid}` })
    entry.prepend(field)
  }
  field.value = String(index + 1)
}

function titleOf(entry: HTMLElement): string {
  return entry.querySelector('strong')?.textContent ?? ''
}

function nameless(name: string): HTMLElement {
  const entry = make('li', {})
  entry.dataset.name = name
  const words = make('span', { className: 'picker-words' })
  words.append(make('strong', { textContent: name }))
  entry.append(make('span', { className: 'picker-cover' }), words)
  return entry
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties)
}
