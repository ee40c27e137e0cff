/**
 * Opens screenshots in a dialog: arrow keys change the image, Escape closes it, focus returns to where it
 * was. The commands of the page can be copied.
 */
import '../../components/copy-buttons.client.ts'

for (const gallery of document.querySelectorAll<HTMLElement>('[data-gallery]')) {
  const links = [...gallery.querySelectorAll<HTMLAnchorElement>('a.shot')]
  const dialog = createDialog(gallery.dataset.gallery ?? '')
  const picture = dialog.querySelector('img')
  const count = dialog.querySelector('p')
  let shown = 0

  function show(index: number): void {
    shown = (index + links.length) % links.length
    const small = links[shown]?.querySelector('img')
    if (!picture || !count || !small) return
    picture.src = links[shown]?.href ?? ''
    picture.alt = small.alt
    picture.width = small.width
    count.textContent = `${shown + 1} of ${links.length}`
  }

  links.forEach((link, index) => {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      show(index)
      dialog.showModal()
    })
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight') show(shown + 1)
    if (event.key === 'ArrowLeft') show(shown - 1)
  })
  dialog.addEventListener('close', () => links[shown]?.focus())
  dialog.querySelector('.previous')?.addEventListener('click', () => show(shown - 1))
  dialog.querySelector('.next')?.addEventListener('click', () => show(shown + 1))
  document.body.append(dialog)
}

function createDialog(name: string): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'lightbox'
  dialog.setAttribute('aria-label', 'Screenshots')
  dialog.dataset.of = name
  dialog.innerHTML = `<img alt=""><form method="dialog" class="row between">
    <button type="button" class="button second previous">Previous</button>
    <p aria-live="polite"></p>
    <button type="button" class="button second next">Next</button>
    <button class="button">Close</button></form>`
  return dialog
}
