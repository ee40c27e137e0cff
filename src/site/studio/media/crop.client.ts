const RATIO = 16 / 9
const VIEW = 640
const STEP = 0.02

interface Frame {
  x: number
  y: number
  /** The width, in pixels of the picture. */
  width: number
}

/** Lets people crop a picture to 16:9; null if they cancel. Throws if the file is no picture. */
export async function openCrop(file: File, targetWidth: number): Promise<Blob | null> {
  const picture = await createImageBitmap(file)
  const dialog = createDialog()
  const view = dialog.querySelector('canvas')
  const size = dialog.querySelector('input')
  if (!view || !size) return null
  const widest = Math.min(picture.width, picture.height * RATIO)
  const frame: Frame = {
    width: widest,
    x: (picture.width - widest) / 2,
    y: (picture.height - widest / RATIO) / 2,
  }
  const scale = Math.min(VIEW / picture.width, VIEW / RATIO / picture.height)
  view.width = Math.max(1, Math.round(picture.width * scale))
  view.height = Math.max(1, Math.round(picture.height * scale))

  const change = (next: Partial<Frame>) => {
    Object.assign(frame, keepInside({ ...frame, ...next }, picture, widest))
    paint(view, picture, frame, scale)
  }
  dialog.addEventListener('keydown', (event) => {
    if (event.target === size) return
    const step = widest * STEP * (event.shiftKey ? 5 : 1)
    const moves: Record<string, Partial<Frame>> = {
      ArrowLeft: { x: frame.x - step },
      ArrowRight: { x: frame.x + step },
      ArrowUp: { y: frame.y - step },
      ArrowDown: { y: frame.y + step },
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    change(move)
  })
  view.addEventListener('pointermove', (event) => {
    if (event.buttons !== 1) return
    const shown = view.width / view.clientWidth / scale
    change({ x: frame.x + event.movementX * shown, y: frame.y + event.movementY * shown })
  })
  size.addEventListener('input', () => {
    const width = (widest * Number(size.value)) / 100
    const [centreX, centreY] = [frame.x + frame.width / 2, frame.y + frame.width / RATIO / 2]
    change({ width, x: centreX - width / 2, y: centreY - width / RATIO / 2 })
  })

  change({})
  document.body.append(dialog)
  dialog.showModal()
  view.focus()
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  dialog.remove()
  return dialog.returnValue === 'apply' ? await cut(picture, frame, targetWidth) : null
}

function keepInside({ x, y, width }: Frame, picture: ImageBitmap, widest: number): Frame {
  const fitting = Math.min(width, widest)
  const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most))
  return {
    width: fitting,
    x: clamp(x, picture.width - fitting),
    y: clamp(y, picture.height - fitting / RATIO),
  }
}

/** The picture, darkened outside the frame. */
function paint(view: HTMLCanvasElement, picture: ImageBitmap, frame: Frame, scale: number): void {
  const context = view.getContext('2d')
  if (!context) return
  const { width: w } = frame
  const box = [frame.x * scale, frame.y * scale, w * scale, (w / RATIO) * scale] as const
  context.drawImage(picture, 0, 0, view.width, view.height)
  context.fillStyle = 'rgb(0 0 0 / 0.6)'
  context.fillRect(0, 0, view.width, view.height)
  context.drawImage(picture, frame.x, frame.y, w, w / RATIO, ...box)
  context.strokeStyle = '#fff'
  context.lineWidth = 2
  context.strokeRect(...box)
}

async function cut(picture: ImageBitmap, { x, y, width }: Frame, targetWidth: number): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  canvas.width = targetWidth
  canvas.height = Math.round(targetWidth / RATIO)
  const context = canvas.getContext('2d')
  if (context) context.imageSmoothingQuality = 'high'
  context?.drawImage(picture, x, y, width, width / RATIO, 0, 0, canvas.width, canvas.height)
  return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

function createDialog(): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'crop'
  dialog.setAttribute('aria-label', 'Crop')
  dialog.innerHTML = `<h2>Choose what is shown</h2>
    <p class="quiet small" id="crop-hint">Drag the frame, or move it with the arrow keys; Shift moves it further.</p>
    <canvas tabindex="0" role="img" aria-label="The picture with the frame" aria-describedby="crop-hint"></canvas>
    <label class="crop-size">Size of the frame <input type="range" min="20" max="100" value="100"></label>
    <form method="dialog" class="row"><button class="button" value="apply">Apply</button>
    <button class="button second" value="cancel">Cancel</button></form>`
  return dialog
}
