import { SaveError } from './types.ts'

/** Its own copy, because the game goes on changing the bytes. */
export function toBytes(data: unknown): ArrayBuffer {
  if (typeof data === 'string') return new TextEncoder().encode(data).buffer
  // A buffer may be of another window, or shared between threads.
  const isBuffer = /ArrayBuffer]$/.test(Object.prototype.toString.call(data))
  const view = isBuffer ? new Uint8Array(data as ArrayBuffer) : data
  if (!ArrayBuffer.isView(view)) throw new TypeError('A save is text, or bytes in an ArrayBuffer.')
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer
}

const MAX = 64
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060-\u2064\uFEFF/\\:<>"|?*]/u
/** Devices on Windows, and spaces or dots at the end, which it drops. */
const CHANGED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³]) *(?:\.|$)|^\s|[\s.]$/i

/** The name as the store keeps it. */
export function toSlot(slot: unknown): string {
  const name = String(slot).normalize('NFC')
  const length = Array.from(name).length
  if (typeof slot === 'string' && length > 0 && length <= MAX && !UNFIT.test(name) && !CHANGED.test(name))
    return name
  throw new SaveError(4000, 'A slot is a name of 1 to 64 characters that a file can have on every system.')
}
