import { BACKGROUND_MS, isSliceOver, nextSlice } from './flow/loop-slices.ts'
import { oneLine } from './text/characters.ts'

/**
 * Distinct offsets that leave the set when a range takes them. Each offset is visited once, however many ranges
 * overlap: taken ones are skipped by links to the next one left, shortened as they are followed.
 */
class SortedOffsets {
  readonly #offsets: readonly number[]
  /** For each index, the next one to look at: the index itself while its offset is still in the set. */
  readonly #next: Uint32Array
  #left: number

  constructor(offsets: Iterable<number>) {
    this.#offsets = [...new Set(offsets)].sort((a, b) => a - b)
    this.#next = Uint32Array.from({ length: this.#offsets.length + 1 }, (_, place) => place)
    this.#left = this.#offsets.length
  }

  get isEmpty(): boolean {
    return this.#left === 0
  }

  /** Every offset, including those that were taken. */
  get all(): readonly number[] {
    return this.#offsets
  }

  /** Removes and returns the offsets from `start` up to, but not including, `end`. */
  take(start: number, end: number): number[] {
    const taken: number[] = []
    for (let place = this.#follow(this.placeOf(start)); ; place = this.#follow(place + 1)) {
      const offset = this.#offsets[place]
      if (offset === undefined || !(offset < end)) return taken
      taken.push(offset)
      this.#next[place] = place + 1
      this.#left -= 1
    }
  }

  /** The index of the first offset at or after the address, taken or not. */
  placeOf(address: number): number {
    let [low, high] = [0, this.#offsets.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#offsets[middle] ?? 0) < address) low = middle + 1
      else high = middle
    }
    return low
  }

  #follow(place: number): number {
    const next = this.#next
    let at = place
    while (next[at] !== undefined && next[at] !== at) {
      const after = next[at] ?? at
      next[at] = next[after] ?? after
      at = next[at] ?? at
    }
    return at
  }
}

/** The symbol found for one offset of a module. */
export interface SymbolHit {
  function: string
  file: string | null
  line: number | null
}

type OpenFile = () => Promise<AsyncIterable<Uint8Array>>

interface Found {
  function: string
  fileNumber: string | null
  line: number | null
}

interface PublicSymbol {
  address: number
  name: string
}

const LINE_END = 0x0a
const RETURN = 0x0d
/** Names of templates are long; a line beyond this is not a symbol. */
const LINE_MAX = 64 * 1024
/** Longer names are cut. */
const NAME_MAX = 1000
/** How many lines are read between two checks of the time. */
const LINES_PER_LOOK = 64
const NO_OFFSETS = new SortedOffsets([])
const FUNC = Buffer.from('FUNC ')
const PUBLIC = Buffer.from('PUBLIC ')
const FILE = Buffer.from('FILE ')
const FUNC_RECORD = /^FUNC (?:m )?([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ (.*)$/i
const PUBLIC_RECORD = /^PUBLIC (?:m )?([0-9a-f]+) [0-9a-f]+ (.*)$/i
const LINE_RECORD = /^([0-9a-f]+) ([0-9a-f]+) (\d{1,9}) (\d+)$/i
const FILE_RECORD = /^FILE (\d+) (.*)$/

/**
 * Looks up offsets, counted from the start of the module, in a Breakpad symbol file. The file may be far
 * larger than memory, so it is streamed: once for the functions and again for the names of their source
 * files. The work grows with the lines plus the offsets, whatever ranges the file claims.
 */
export async function findSymbols(
  open: OpenFile,
  offsets: Iterable<number>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, SymbolHit>> {
  const finder = new Finder(offsets)
  await eachLine(await open(), signal, (bytes, start, end) => finder.read(bytes, start, end))
  const found = finder.finish()
  const numbers = new Set([...found.values()].flatMap(({ fileNumber }) => fileNumber ?? []))
  const files =
    numbers.size > 0 ? await readFileNames(await open(), signal, numbers) : new Map<string, string>()
  return new Map(
    [...found].map(([offset, { function: name, fileNumber, line }]) => [
      offset,
      { function: name, file: files.get(fileNumber ?? '') ?? null, line },
    ]),
  )
}

class Finder {
  /** The offsets without a function. */
  readonly #wanted: SortedOffsets
  readonly #found = new Map<number, Found>()
  /** For each wanted offset the closest start before it, but after the previous wanted offset. */
  readonly #functionBefore: number[] = []
  readonly #publicBefore: PublicSymbol[] = []
  /** The offsets of the function whose line records follow, as long as they have no line. */
  #inside = NO_OFFSETS

  constructor(offsets: Iterable<number>) {
    this.#wanted = new SortedOffsets(offsets)
  }

  /** Most lines belong to functions that were not asked for; those are not decoded. */
  read(bytes: Buffer, start: number, end: number): void {
    if (startsWith(bytes, start, FUNC)) this.#readFunction(bytes.toString('utf8', start, end))
    else if (startsWith(bytes, start, PUBLIC)) this.#readPublic(bytes.toString('utf8', start, end))
    else if (!this.#inside.isEmpty) this.#readLine(bytes.toString('utf8', start, end))
  }

  /** A public symbol reaches up to the next function. */
  finish(): ReadonlyMap<number, Found> {
    let nearestFunction = -1
    let nearestPublic: PublicSymbol | undefined
    for (const [place, offset] of this.#wanted.all.entries()) {
      nearestFunction = this.#functionBefore[place] ?? nearestFunction
      nearestPublic = this.#publicBefore[place] ?? nearestPublic
      if (!nearestPublic || nearestPublic.address < nearestFunction || this.#found.has(offset)) continue
      this.#found.set(offset, { function: nearestPublic.name, fileNumber: null, line: null })
    }
    return this.#found
  }

  #readFunction(text: string): void {
    this.#inside = NO_OFFSETS
    const [, begin = '', size = '', name = ''] = FUNC_RECORD.exec(text) ?? []
    const address = Number.parseInt(begin, 16)
    const place = this.#wanted.placeOf(address)
    if (Number.isNaN(address) || place === this.#wanted.all.length) return
    this.#functionBefore[place] = Math.max(address, this.#functionBefore[place] ?? -1)
    const taken = this.#wanted.take(address, address + Number.parseInt(size, 16))
    if (taken.length === 0) return
    this.#inside = new SortedOffsets(taken)
    const found = { function: toName(name), fileNumber: null, line: null }
    for (const offset of taken) this.#found.set(offset, found)
  }

  #readPublic(text: string): void {
    this.#inside = NO_OFFSETS
    const [, begin = '', name = ''] = PUBLIC_RECORD.exec(text) ?? []
    const address = Number.parseInt(begin, 16)
    const place = this.#wanted.placeOf(address)
    if (Number.isNaN(address) || place === this.#wanted.all.length) return
    const known = this.#publicBefore[place]
    if (!known || known.address < address) this.#publicBefore[place] = { address, name: toName(name) }
  }

  #readLine(text: string): void {
    const [, begin = '', size = '', line = '', fileNumber = ''] = LINE_RECORD.exec(text) ?? []
    const address = Number.parseInt(begin, 16)
    if (Number.isNaN(address)) return
    for (const offset of this.#inside.take(address, address + Number.parseInt(size, 16))) {
      const found = this.#found.get(offset)
      if (found) this.#found.set(offset, { ...found, fileNumber, line: Number(line) })
    }
  }
}

/** File records come first, so reading stops at the last one needed. */
async function readFileNames(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  numbers: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  await eachLine(source, signal, (bytes, start, end) => {
    if (!startsWith(bytes, start, FILE)) return false
    const [, number = '', name = ''] = FILE_RECORD.exec(bytes.toString('utf8', start, end)) ?? []
    if (numbers.has(number)) names.set(number, toName(name))
    return names.size === numbers.size
  })
  return names
}

/** Reads lines until the end, or until `read` returns true. Passes byte ranges, so that no line is copied. */
async function eachLine(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  read: (bytes: Buffer, start: number, end: number) => boolean | void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let lines = 0
  for await (const chunk of source) {
    signal?.throwIfAborted()
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
      if (read(bytes, start, bytes[end - 1] === RETURN ? end - 1 : end) === true) return
      start = end + 1
      lines += 1
      if (lines % LINES_PER_LOOK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
    }
    rest = bytes.length - start > LINE_MAX ? Buffer.alloc(0) : bytes.subarray(start)
  }
  if (rest.length > 0) read(rest, 0, rest.length)
}

/** Names come from an untrusted file; Postgres rejects NUL characters. */
function toName(text: string): string {
  return oneLine(text.slice(0, NAME_MAX))
}

function startsWith(bytes: Buffer, start: number, prefix: Buffer): boolean {
  for (let place = 0; place < prefix.length; place += 1) {
    if (bytes[start + place] !== prefix[place]) return false
  }
  return true
}
