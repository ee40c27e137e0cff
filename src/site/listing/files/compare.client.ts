import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Hashes a chosen or dropped file in pieces and shows whether this file, or one inside it, is the same. */
const area = document.querySelector<HTMLElement>('[data-compare]')
const input = area?.querySelector<HTMLInputElement>('input')
const drop = area?.querySelector<HTMLElement>('[data-drop]')
const bar = area?.querySelector('progress')
const result = area?.querySelector<HTMLElement>('[data-result]')
let running = 0

if (area && input && drop && bar && result) {
  input.addEventListener('change', () => start(input.files?.[0]))
  drop.addEventListener('dragover', (event) => {
    event.preventDefault()
    drop.classList.add('over')
  })
  drop.addEventListener('dragleave', () => drop.classList.remove('over'))
  drop.addEventListener('drop', (event) => {
    event.preventDefault()
    drop.classList.remove('over')
    start(event.dataTransfer?.files[0])
  })
}

function start(file: File | undefined): void {
  if (file) void compare(file).catch(() => say('bad', `${file.name} could not be read.`))
}

async function compare(file: File): Promise<void> {
  const hash = await hashFile(file)
  if (hash === null) return
  if (hash === area?.dataset.compare) return say('good', `✓ ${file.name} is exactly this file.`)
  const paths = await findInside(hash)
  if (paths.length > 0) return say('good', `✓ ${file.name} is the same as ${paths.join(', ')} inside it.`)
  say('bad', `✗ ${file.name} differs from this file and from every file inside it. Its SHA-256 is ${hash}.`)
}

/** Returns null if another file was chosen in the meantime. */
async function hashFile(file: File): Promise<string | null> {
  running += 1
  const own = running
  const hash = sha256.create()
  let done = 0
  if (bar) bar.hidden = false
  say('', `Hashing ${file.name} …`)
  for (const reader = file.stream().getReader(); ;) {
    const { value, done: isEnd } = await reader.read()
    if (own !== running) {
      await reader.cancel()
      return null
    }
    if (isEnd) break
    hash.update(value)
    done += value.length
    if (bar) bar.value = done / file.size
  }
  if (bar) bar.hidden = true
  return bytesToHex(hash.digest())
}

/** Searches for inner files by hash through the page itself. */
async function findInside(hash: string): Promise<string[]> {
  const response = await fetch(`${location.pathname}?q=${hash}`, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return [...page.querySelectorAll('[data-path]')].map((path) => path.textContent)
}

function say(tone: '' | 'good' | 'bad', text: string): void {
  if (!result) return
  result.className = tone === '' ? '' : `notice ${tone}`
  result.textContent = text
}
