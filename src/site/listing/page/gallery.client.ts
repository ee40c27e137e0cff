/**
 * Opens screenshots and videos in a dialog: arrow keys change what is shown, Escape closes it, focus returns to where it
 * was. The commands of the page can be copied.
 */
import '../../components/copy-buttons.client.ts'

for (const gallery of document.querySelectorAll<HTMLElement>('[data-gallery]')) {
  const links = [...gallery.querySelectorAll<HTMLAnchorElement>('a.shot')]
  const dialog = createDialog(gallery.dataset.gallery ?? '')
  const stage = dialog.querySelector('div')
  const count = dialog.querySelector('p')
  let shown = 0

  function show(index: number): void {
    shown = (index + links.length) % links.length
    const link = links[shown]
    if (!stage || !count || !link) return
    stage.replaceChildren(link.dataset.kind === 'video' ? createVideo(link) : createPicture(link))
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
    // Inside a video the arrows wind it.
    if (event.target instanceof HTMLVideoElement) return
    if (event.key === 'ArrowRight') show(shown + 1)
    if (event.key === 'ArrowLeft') show(shown - 1)
  })
  dialog.addEventListener('close', () => {
    stage?.replaceChildren()
    links[shown]?.focus()
  })
  dialog.querySelector('.previous')?.addEventListener('click', () => show(shown - 1))
  dialog.querySelector('.next')?.addEventListener('click', () => show(shown + 1))
  document.body.append(dialog)
}

/** As large as the picture in the page says, so that the dialog keeps its height while it loads. */
function createPicture(link: HTMLAnchorElement): HTMLImageElement {
  const picture = new Image()
  const small = link.querySelector('img')
  for (const name of ['alt', 'width', 'height']) picture.setAttribute(name, small?.getAttribute(name) ?? '')
  picture.src = link.href
  return picture
}

function createVideo(link: HTMLAnchorElement): HTMLVideoElement {
  const video = document.createElement('video')
  video.controls = true
  video.autoplay = true
  video.playsInline = true
  video.poster = link.querySelector('img')?.src ?? ''
  video.ariaLabel = link.querySelector('.visually-hidden')?.textContent.trim() ?? ''
  video.src = link.href
  return video
}

function createDialog(name: string): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'lightbox'
  dialog.setAttribute('aria-label', 'Screenshots')
  dialog.dataset.of = name
  dialog.innerHTML = `<div></div><form method="dialog" class="row between">
    <button type="button" class="button second previous">Previous</button>
    <p aria-live="polite"></p>
    <button type="button" class="button second next">Next</button>
    <button class="button">Close</button></form>`
  return dialog
}
