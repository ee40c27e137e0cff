/** A button with `data-copies` copies the text of the element that it names. */
document.addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement && event.target.dataset.copies !== undefined)
    void copy(event.target, event.target.dataset.copies)
})

async function copy(button: HTMLButtonElement, id: string): Promise<void> {
  await navigator.clipboard.writeText(document.getElementById(id)?.textContent.trim() ?? '')
  button.textContent = 'Copied'
}

// Browsers offer the clipboard only over HTTPS or on localhost.
if (!('clipboard' in navigator))
  for (const button of document.querySelectorAll<HTMLElement>('[data-copies]')) button.hidden = true
