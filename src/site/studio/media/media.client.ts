import { readPage, swap } from '../../kit/swap.client.ts'
import { openCrop } from './crop.client.ts'

/** Uploads chosen or dropped pictures, several at once, and lets people drag the gallery into order. */
type Kind = 'cover' | 'thumbnail' | 'gallery'

const SIZES = { cover: 1280, thumbnail: 640 } as const
let dragged: HTMLElement | null = null

const area = () => document.querySelector<HTMLElement>('[data-media]')
const game = () => `/api/v1/private/games/${area()?.dataset.media}`
const api = () => `${game()}/images`
allowSeveral()

document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement) || event.target.type !== 'file') return
  const kind = kindOf(event.target)
  if (!kind) return
  const files = [...(event.target.files ?? [])]
  event.target.value = ''
  void take(kind, files)
})

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (form.dataset.videoForm !== undefined) {
    event.preventDefault()
    void takeVideo(form)
    return
  }
  if (!/\/(?:move|delete)$/.test(form.action)) return
  event.preventDefault()
  void submitForm(form, event.submitter)
})

document.addEventListener('dragstart', (event) => {
  if (event.target instanceof HTMLElement) dragged = event.target.closest('[data-uid]')
})

document.addEventListener('dragend', () => {
  dragged = null
})

document.addEventListener('dragover', (event) => {
  if (!(event.target instanceof Element)) return
  const shot = event.target.closest<HTMLElement>('[data-uid]')
  const zone = event.target.closest('[data-drop]')
  if (dragged === null ? zone : shot) event.preventDefault()
  if (dragged !== null && shot && shot !== dragged) {
    const isBefore = (dragged.compareDocumentPosition(shot) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
    if (isBefore) shot.before(dragged)
    else shot.after(dragged)
  }
})

document.addEventListener('drop', (event) => {
  if (!(event.target instanceof Element)) return
  event.preventDefault()
  const kind = kindOf(event.target)
  if (dragged !== null) void saveOrder()
  else if (kind) void take(kind, [...(event.dataTransfer?.files ?? [])])
})

function kindOf(element: Element): Kind | undefined {
  return element.closest<HTMLElement>('[data-drop]')?.dataset.drop as Kind | undefined
}

async function take(kind: Kind, files: readonly File[]): Promise<void> {
  fail('')
  const [first] = files
  if (kind !== 'gallery') {
    const cropped = first && (await crop(first, kind))
    if (!cropped) return
    await send(kind, cropped, first.name)
  } else {
    for (const [index, file] of files.entries()) {
      say(`Uploading ${index + 1} of ${files.length}: ${file.name}`)
      if (!(await send(kind, file, file.name))) break
    }
  }
  say('')
  await refresh()
}

async function takeVideo(form: HTMLFormElement): Promise<void> {
  fail('')
  say('Uploading the video')
  const reason = await sendVideo(form, `${game()}/videos`)
  say('')
  if (reason !== null) return fail(reason)
  form.reset()
  await refresh()
  say('The video is added.')
}

async function crop(file: File, kind: 'cover' | 'thumbnail'): Promise<Blob | null> {
  try {
    return await openCrop(file, SIZES[kind])
  } catch {
    fail(`${file.name} could not be read as a picture. Choose a PNG, JPEG or WebP file.`)
    return null
  }
}

/** Returns whether the picture was stored; shows the reason if not. */
async function send(kind: Kind, picture: Blob, name: string): Promise<boolean> {
  const body = new FormData()
  body.set('file', picture, name)
  const method = kind === 'gallery' ? 'POST' : 'PUT'
  return await call(`${api()}/${kind}`, { method, body }, name)
}

async function saveOrder(): Promise<void> {
  const shots = document.querySelectorAll<HTMLElement>('[data-sortable] [data-uid]')
  const body = JSON.stringify({ uids: [...shots].map((shot) => shot.dataset.uid) })
  await call(
    `${api()}/gallery/order`,
    { method: 'PUT', body, headers: { 'content-type': 'application/json' } },
    '',
  )
  await refresh()
}

async function call(path: string, init: RequestInit, name: string): Promise<boolean> {
  try {
    const response = await fetch(path, init)
    if (response.ok) return true
    const { error } = (await response.json()) as { error: { message: string } }
    fail(name === '' ? error.message : `${name}: ${error.message}`)
  } catch {
    fail(`${name || 'The order'} could not be sent. Check your connection and try again.`)
  }
  return false
}

async function submitForm(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams()
  if (button instanceof HTMLButtonElement && button.name !== '') body.set(button.name, button.value)
  const label = button?.getAttribute('aria-label') ?? ''
  const response = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } })
  // On failure submits the form as without script, so that the page shows the reason.
  if (!response.ok) return form.submit()
  await refresh()
  document.querySelector<HTMLElement>(`button[aria-label="${CSS.escape(label)}"]:not(:disabled)`)?.focus()
}

async function refresh(): Promise<void> {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } })
  const page = await readPage(response)
  const message = area()?.querySelector('[data-failed]')?.textContent ?? ''
  const [current, next] = [area(), page.querySelector('[data-media]')]
  if (current && next) swap(current, next)
  allowSeveral()
  fail(message)
}

/** Lets the file input take several pictures, which only the script can send. */
function allowSeveral(): void {
  const several = document.querySelector<HTMLInputElement>('#gallery-file')
  if (several) several.multiple = true
}

function say(text: string): void {
  show('[data-progress]', text)
}

function fail(text: string): void {
  show('[data-failed]', text)
}

function show(selector: string, text: string): void {
  const place = area()?.querySelector<HTMLElement>(selector)
  if (!place) return
  place.textContent = text
  place.hidden = text === ''
}

/** Sends a video with its progress; without script the form is sent as it is. Returns why it failed, or null. */
async function sendVideo(form: HTMLFormElement, api: string): Promise<string | null> {
  const body = new FormData(form)
  // Browsers send an empty file for a field in which none was chosen.
  const poster = body.get('poster')
  if (poster instanceof File && poster.size === 0) body.delete('poster')
  const progress = form.querySelector<HTMLProgressElement>('[data-video-progress]')
  const stop = form.querySelector<HTMLButtonElement>('[data-video-stop]')
  const request = new XMLHttpRequest()
  const onStop = () => request.abort()
  stop?.addEventListener('click', onStop)
  setBusy(form, true)
  try {
    return await new Promise<string | null>((resolve) => {
      request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
        if (progress && lengthComputable) progress.value = loaded / total
      })
      request.addEventListener('load', () => resolve(request.status === 201 ? null : reasonOf(request)))
      request.addEventListener('abort', () => resolve('The upload was stopped.'))
      request.addEventListener('error', () =>
        resolve('The video could not be sent. Check your connection and try again.'),
      )
      request.open('POST', api)
      request.send(body)
    })
  } finally {
    stop?.removeEventListener('click', onStop)
    if (progress) progress.value = 0
    setBusy(form, false)
  }
}

function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  for (const shown of form.querySelectorAll<HTMLElement>('[data-video-progress], [data-video-stop]')) {
    shown.hidden = !isBusy
  }
  const submit = form.querySelector<HTMLButtonElement>('button[type="submit"], button:not([type])')
  if (submit) submit.disabled = isBusy
}

function reasonOf({ responseText }: XMLHttpRequest): string {
  try {
    return (JSON.parse(responseText) as { error: { message: string } }).error.message
  } catch {
    return 'The video could not be stored. Try again.'
  }
}
