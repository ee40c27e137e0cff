import type { Issue } from './upload-calls.client.ts'
import { part } from './upload-panel.client.ts'

/** Shows faults beside their fields, and all of them in `summary`; an empty list clears both. */
export function createFaults(form: HTMLFormElement, summary: HTMLElement) {
  return (issues: readonly Issue[]): void => {
    for (const place of form.querySelectorAll('.fault')) place.textContent = ''
    for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
    const items = issues.map((issue) => showFault(form, issue))
    part(summary, 'ul', HTMLElement).replaceChildren(...items)
    summary.hidden = items.length === 0
  }
}

function showFault(form: HTMLFormElement, { path, message }: Issue): HTMLLIElement {
  const item = document.createElement('li')
  const field = path === '' ? null : form.querySelector(`#build-${CSS.escape(path)}`)
  if (!field) {
    item.textContent = message
    return item
  }
  const text = message.startsWith(`${path} `) ? labelOf(field) + message.slice(path.length) : message
  field.setAttribute('aria-invalid', 'true')
  placeOf(field).textContent = text
  const link = document.createElement('a')
  link.href = `#${field.id}`
  link.textContent = text
  item.append(link)
  return item
}

function labelOf({ id }: Element): string {
  return document.querySelector(`label[for="${id}"]`)?.textContent ?? ''
}

function placeOf(field: Element): HTMLElement {
  const id = `${field.id}-fault`
  const known = document.getElementById(id)
  if (known) return known
  const place = document.createElement('p')
  place.id = id
  place.className = 'fault'
  field.after(place)
  field.setAttribute('aria-describedby', `${id} ${field.getAttribute('aria-describedby') ?? ''}`.trim())
  return place
}
