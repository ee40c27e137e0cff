/** Counts what is typed against the limits of fields, on every page of the studio. */
const COUNTS = new Intl.NumberFormat('en-US')

document.addEventListener('input', (event) => {
  const field = event.target
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  if (field.dataset.limit !== undefined) showCount(field, Number(field.dataset.limit))
})

/** An emoji is one character, as on the server. */
function showCount(field: HTMLInputElement | HTMLTextAreaElement, limit: number): void {
  const place = document.getElementById(`${field.id}-count`)
  if (!place) return
  const count = Array.from(field.value).length
  const isOver = count > limit
  place.classList.toggle('over', isOver)
  place.textContent = isOver
    ? `${COUNTS.format(count - limit)} characters too many`
    : `${COUNTS.format(count)} of ${COUNTS.format(limit)} characters`
}

/** Shows how many boxes of a group are ticked. */
document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement)) return
  const group = event.target.closest<HTMLElement>('[data-most]')
  const place = group && document.getElementById(`${group.id}-count`)
  if (!group || !place) return
  const ticked = group.querySelectorAll('input:checked').length
  place.classList.toggle('over', ticked > Number(group.dataset.most))
  place.textContent = `${ticked} of ${group.dataset.most} chosen`
})

/** Copies the text of the element that a button names. */
document.addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement && event.target.dataset.copies !== undefined)
    void copy(event.target, event.target.dataset.copies)
})

async function copy(button: HTMLButtonElement, id: string): Promise<void> {
  await navigator.clipboard.writeText(document.getElementById(id)?.textContent.trim() ?? '')
  button.textContent = 'Copied'
}
