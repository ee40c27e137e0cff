import { parseItemLines } from '../../../domain/builds/build-fields.ts'
import { type Answer, call, type Issue, type Session } from './upload-calls.client.ts'
import { part, UploadPanel } from './upload-panel.client.ts'
import { Cancelled, Refused, SessionGone, Transfer } from './upload-transfer.client.ts'

/** Uploads builds from the browser: hashed in a worker, sent in chunks, continued after any interruption. */
const area = part(document, '[data-upload]', HTMLElement)
const { api = '', worker: workerPath = '' } = area.dataset
const form = part(area, 'form', HTMLFormElement)
const drop = part(area, '[data-drop]', HTMLElement)
const chosen = part(form, 'input[type=file]', HTMLInputElement)
const showFaults = createFaults(form, part(area, '[data-faults]', HTMLElement))
const panel = new UploadPanel(part(area, '[data-progress]', HTMLElement))
const MAX_BYTES = 5 * 1024 ** 3
let running: { transfer: Transfer | null; stop: AbortController; isPaused: boolean } | null = null

area.inert = false
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const file = chosen.files?.[0]
  if (!file) return showFaults([{ path: 'file', message: 'Choose the .zip of the build.' }])
  const unfit = findUnfit(file)
  if (unfit !== null) return showFaults([{ path: 'file', message: unfit }])
  void start(file, (stop) => uploadNew(file, stop))
})
drop.addEventListener('dragover', (event) => {
  event.preventDefault()
  drop.classList.add('over')
})
drop.addEventListener('dragleave', () => drop.classList.remove('over'))
drop.addEventListener('drop', (event) => {
  event.preventDefault()
  drop.classList.remove('over')
  if (event.dataTransfer?.files.length) chosen.files = event.dataTransfer.files
})
/** The list of unfinished uploads is replaced when it changes, so its events are read here. */
document.addEventListener('change', (event) => {
  const input = event.target
  if (!(input instanceof HTMLInputElement) || input.dataset.continues === undefined) return
  const file = input.files?.[0]
  const row = input.closest<HTMLElement>('[data-session]')
  if (file && row) void start(file, (stop) => continueUpload(file, row.dataset, stop))
  input.value = ''
})
document.addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement && event.target.dataset.ends !== undefined)
    void endSession(event.target.dataset.ends)
})
panel.pause.addEventListener('click', () => {
  if (!running?.transfer) return
  running.isPaused = !running.isPaused
  if (running.isPaused) running.transfer.pause()
  else running.transfer.resume()
})
panel.cancel.addEventListener('click', () => {
  running?.stop.abort()
  running?.transfer?.cancel()
})
addEventListener('beforeunload', (event) => {
  if (running) event.preventDefault()
})

function findUnfit({ name, size }: File): string | null {
  if (!/.\.zip$/i.test(name)) return `${name} is not a .zip. Pack the build as a zip first.`
  if (size === 0) return `${name} is empty.`
  return size > MAX_BYTES ? `${name} is larger than 5 GB.` : null
}

async function start(file: File, work: (stop: AbortController) => Promise<string>): Promise<void> {
  if (running) return showFaults([{ path: '', message: 'Another upload of this page is not finished yet.' }])
  const stop = new AbortController()
  running = { transfer: null, stop, isPaused: false }
  showFaults([])
  panel.open(file.name, file.size)
  setDone('')
  try {
    setDone(await work(stop))
    form.reset()
  } catch (error) {
    if (error instanceof Faults) showFaults(error.issues)
    else if (!(error instanceof Cancelled)) showFaults([{ path: '', message: messageOf(error) }])
  } finally {
    running = null
    panel.close()
    document.dispatchEvent(new Event('refresh'))
  }
}

/** Faults of the form that the server found. */
class Faults extends Error {
  constructor(readonly issues: readonly Issue[]) {
    super()
  }
}

async function uploadNew(file: File, stop: AbortController): Promise<string> {
  panel.phase('Registering the build', false)
  const build = await call<{ build_id: string } & { issues: Issue[] }>('POST', `${api}/builds`, {
    body: JSON.stringify(readFields()),
    headers: { 'Content-Type': 'application/json' },
  })
  const buildId = build.data.build_id
  if (buildId === undefined) throw new Faults(build.data.issues ?? [{ path: '', message: build.message }])
  const checksum = await hash(file, stop.signal)
  for (;;) {
    const session = await openSession(file, buildId, checksum)
    try {
      return await send(file, session)
    } catch (error) {
      // The session is gone: start again with a new one, from the first byte.
      if (!(error instanceof SessionGone)) throw error
    }
  }
}

/** The fields of the form that are filled in, by the API's names. */
function readFields(): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value.trim() !== '') fields[name] = value.trim()
  }
  const { changelog, ...registration } = fields
  return typeof changelog === 'string'
    ? { ...registration, changelog_items: parseItemLines(changelog) }
    : registration
}

/** Continues an upload of the same file, if there is one. */
async function openSession(file: File, buildId: string, checksum: string): Promise<Session> {
  const open = await call<{ items: Session[] }>('GET', `${api}/upload/sessions`)
  const same = open.data.items?.find(
    (session) =>
      session.build_id === buildId && session.checksum === checksum && session.filename === file.name,
  )
  if (same) return same
  const body = new URLSearchParams({ build_id: buildId, checksum, filename: file.name })
  body.set('total_size', String(file.size))
  const answer = await call<Session>('POST', `${api}/upload/sessions`, { body })
  if (answer.status !== 201) throw new Refused(answer.message)
  return answer.data as Session
}

/** Only the file that the session was opened for can continue it. */
async function continueUpload(file: File, session: DOMStringMap, stop: AbortController): Promise<string> {
  const { session: id = '', name = '', size = '', checksum } = session
  const other = `${file.name} is not the file of this upload. Choose ${name} as it was when the upload began.`
  if (file.name !== name || String(file.size) !== size) throw new Refused(other)
  if ((await hash(file, stop.signal)) !== checksum) throw new Refused(`${other} Its content differs.`)
  const answer: Answer<Session> = await call<Session>('GET', `${api}/upload/sessions/${id}`)
  if (answer.status !== 200) throw new Refused(answer.message)
  return await send(file, answer.data as Session)
}

async function endSession(id: string): Promise<void> {
  const { status, message } = await call('DELETE', `${api}/upload/sessions/${id}`)
  // A session that is gone was cancelled elsewhere.
  showFaults(status === 200 || status === 404 ? [] : [{ path: '', message }])
  document.dispatchEvent(new Event('refresh'))
}

async function send(file: File, session: Session): Promise<string> {
  panel.restart()
  const transfer = new Transfer(`${api}/upload`, file, session, {
    onProgress: (bytes) => panel.progress(bytes),
    onState(state, message) {
      panel.pause.textContent = state === 'paused' ? 'Resume' : 'Pause'
      if (running) running.isPaused = state === 'paused'
      panel.phase(message ?? STATES[state], true)
      if (state !== 'sending') panel.restart()
    },
  })
  if (running) running.transfer = transfer
  try {
    await transfer.run()
  } catch (error) {
    if (error instanceof Cancelled) await call('DELETE', `${api}/upload/sessions/${session.session_id}`)
    throw error
  }
  return `${file.name} is uploaded. It can be downloaded once its scan has passed. If the scan refuses it, it is deleted and the list below says why.`
}

const STATES = {
  sending: 'Sending',
  waiting: 'The connection is lost. Trying again; nothing that arrived is lost.',
  paused: 'Paused',
}

function hash(file: File, signal: AbortSignal): Promise<string> {
  panel.phase('Computing the checksum', false)
  panel.restart()
  const worker = new Worker(workerPath, { type: 'module' })
  return new Promise<string>((resolve, reject) => {
    const unreadable = () =>
      reject(new Refused(`${file.name} cannot be read. It may have changed; choose it again.`))
    signal.addEventListener('abort', () => reject(new Cancelled()))
    worker.addEventListener('error', unreadable)
    worker.addEventListener('message', ({ data }: MessageEvent<{ done?: number; checksum?: string }>) => {
      if (data.done === undefined) return unreadable()
      panel.progress(data.done)
      if (data.checksum !== undefined) resolve(data.checksum)
    })
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}

function setDone(text: string): void {
  const place = part(area, '[data-done]', HTMLElement)
  place.textContent = text
  place.classList.toggle('notice', text !== '')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Shows faults beside their fields, and all of them in `summary`; an empty list clears both. */
function createFaults(form: HTMLFormElement, summary: HTMLElement) {
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
