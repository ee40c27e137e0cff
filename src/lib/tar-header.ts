/** One member of a tar archive; links and devices are not wanted here. */
export interface TarEntry {
  /** Folders have no slash at the end. */
  name: string
  kind: 'file' | 'folder'
  size: number
  mode: number
  /** Whole seconds since 1970. */
  mtime: number
}

export const BLOCK = 512
const NAME_BYTES = 100
const OCTAL_SIZE_LIMIT = 8 ** 11
const CHECKSUM = { at: 148, bytes: 8 } as const
const TYPES = { file: '0', folder: '5', pax: 'x' } as const

/** The header block of an entry, with a pax record before it where the old format's fields are too short. */
export function encodeHeader(entry: TarEntry): Uint8Array {
  const name = entry.kind === 'folder' ? `${entry.name}/` : entry.name
  const long = Buffer.byteLength(name) > NAME_BYTES || !/^[ -~]*$/.test(name)
  const large = entry.size >= OCTAL_SIZE_LIMIT
  const type = TYPES[entry.kind]
  const block = encodeBlock(long ? 'long-name' : name, large ? 0 : entry.size, type, entry)
  if (!long && !large) return block
  const pax = Buffer.from(
    (long ? encodeRecord('path', name) : '') + (large ? encodeRecord('size', String(entry.size)) : ''),
  )
  const head = encodeBlock('pax', pax.length, TYPES.pax, { mode: 0o600, mtime: entry.mtime })
  return Buffer.concat([head, pax, new Uint8Array(paddingAfter(pax.length)), block])
}

/** `length path=value\n`, where the length counts its own digits. */
function encodeRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function encodeBlock(
  name: string,
  size: number,
  type: string,
  { mode, mtime }: Pick<TarEntry, 'mode' | 'mtime'>,
): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, bytes: number) =>
    block.write(`${value.toString(8).padStart(bytes - 1, '0')}\0`, at, 'latin1')
  block.write(name, 0, 'utf8')
  octal(mode & 0o7777, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.max(0, Math.floor(mtime)), 136, 12)
  block.write(type, 156, 'latin1')
  block.write('ustar\u000000', 257, 'latin1')
  block.write(`${sum(block).toString(8).padStart(6, '0')}\0 `, CHECKSUM.at, 'latin1')
  return block
}

export interface DecodedHeader extends TarEntry {
  /** A pax record tells about the entry that follows it. */
  isPax: boolean
}

/** Throws for anything that is not a file or a folder. */
export function decodeHeader(block: Buffer): DecodedHeader {
  const text = (at: number, bytes: number) => {
    const field = block.subarray(at, at + bytes)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? bytes : end)
  }
  const octal = (at: number, bytes: number) => {
    const digits = text(at, bytes).trim()
    if (!/^[0-7]*$/.test(digits)) throw new Error('The archive has a header that cannot be read')
    return Number.parseInt(digits || '0', 8)
  }
  if (octal(CHECKSUM.at, CHECKSUM.bytes) !== sum(block)) throw new Error('The archive has a damaged header')
  const type = text(156, 1) || TYPES.file
  const prefix = text(345, 155)
  const name = prefix ? `${prefix}/${text(0, NAME_BYTES)}` : text(0, NAME_BYTES)
  if (type !== TYPES.file && type !== TYPES.folder && type !== TYPES.pax) {
    throw new Error(`The archive holds ${name}, which is neither a file nor a folder`)
  }
  return {
    name: type === TYPES.folder ? name.replace(/\/+$/, '') : name,
    kind: type === TYPES.folder ? 'folder' : 'file',
    isPax: type === TYPES.pax,
    size: octal(124, 12),
    mode: octal(100, 8),
    mtime: octal(136, 12),
  }
}

/** Puts what a pax record says over the header that follows it. */
export function applyPax({ name, kind, size, mode, mtime }: TarEntry, record: Buffer | null): TarEntry {
  const entry = { name, kind, size, mode, mtime }
  for (let at = 0; record && at < record.length;) {
    const space = record.indexOf(' ', at)
    const length = Number(record.toString('latin1', at, space))
    if (!(length > 0 && at + length <= record.length)) throw new Error('The archive has a damaged header')
    const [key, ...value] = record.toString('utf8', space + 1, at + length - 1).split('=')
    if (key === 'path') entry.name = value.join('=').replace(/\/+$/, '')
    if (key === 'size') entry.size = Number(value.join('='))
    at += length
  }
  if (!Number.isSafeInteger(entry.size) || entry.size < 0) throw new Error('The archive has a damaged header')
  return entry
}

export function paddingAfter(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

/** Over all bytes, the checksum's own counted as spaces. */
function sum(block: Buffer): number {
  let total = 0
  for (const [at, byte] of block.entries()) {
    total += at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.bytes ? 0x20 : byte
  }
  return total
}
