import { readPage, swap } from '../../kit/swap.client.ts'

/**
 * The editor of a page: previews Markdown, stores unsaved text in this browser, and warns before it would be
 * lost.
 */
const form = document.querySelector<HTMLFormElement>('[data-editor]')
const PREVIEW_MS = 350
const DRAFT_MS = 250

if (form) {
  startPreview(form)
  startDraft(form)
}

function startPreview(editor: HTMLFormElement): void {
  const area = editor.querySelector<HTMLTextAreaElement>('[data-preview-of] textarea')
  const place = editor.querySelector<HTMLElement>('[data-preview]')
  let timer = 0
  let request: AbortController | null = null
  area?.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(area.value), PREVIEW_MS)
  })

  async function refresh(text: string): Promise<void> {
    request?.abort()
    request = new AbortController()
    try {
      const body = new URLSearchParams({ text })
      const response = await fetch('/studio/preview', { method: 'POST', body, signal: request.signal })
      if (!response.ok || !place) return
      swap(place, (await readPage(response)).body)
    } catch {
      // The old preview stays; saving the page will report the error.
    }
  }
}

function startDraft(editor: HTMLFormElement): void {
  const key = `playshelf.draft.${editor.dataset.editor}`
  const notice = document.querySelector<HTMLElement>('#draft')
  const state = editor.querySelector<HTMLElement>('[data-save-state]')
  const saved = read()
  const opened = editor.dataset.state
  let isDirty = opened === 'refused'
  let isLeaving = false
  let timer = 0

  if (opened === 'saved') localStorage.removeItem(key)
  const draft = opened === 'opened' ? localStorage.getItem(key) : null
  if (notice && draft !== null && draft !== saved) notice.hidden = false

  editor.addEventListener('input', () => {
    isDirty = read() !== saved || opened === 'refused'
    if (state) state.textContent = isDirty ? 'Not saved yet' : ''
    clearTimeout(timer)
    timer = setTimeout(store, DRAFT_MS)
  })
  editor.addEventListener('submit', () => {
    store()
    isLeaving = true
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
  addEventListener('beforeunload', (event) => {
    if (!isDirty || isLeaving) return
    store()
    event.preventDefault()
  })
  notice?.addEventListener('click', (event) => {
    if (!(event.target instanceof HTMLElement)) return
    const choice = event.target.dataset.draft
    if (choice === 'restore' && draft !== null) restore(draft)
    if (choice === 'discard') localStorage.removeItem(key)
    if (choice !== undefined) notice.hidden = true
  })

  /** Everything that was entered, without the version it is based on. */
  function read(): string {
    const fields = new URLSearchParams()
    for (const [name, value] of new FormData(editor)) {
      if (name !== 'revision' && name !== 'base' && typeof value === 'string') fields.append(name, value)
    }
    return fields.toString()
  }

  function store(): void {
    if (isDirty) localStorage.setItem(key, read())
    else localStorage.removeItem(key)
  }

  function restore(text: string): void {
    const fields = new URLSearchParams(text)
    for (const field of editor.elements) {
      if (field instanceof HTMLInputElement && field.type === 'checkbox') {
        field.checked = fields.getAll(field.name).includes(field.value)
      } else if (isText(field) && fields.has(field.name)) {
        field.value = fields.get(field.name) ?? ''
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }
    editor.dispatchEvent(new Event('input'))
  }
}

function isText(field: Element): field is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement {
  return (
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement ||
    (field instanceof HTMLInputElement && field.type === 'text')
  )
}
