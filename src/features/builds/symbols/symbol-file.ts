import { AppError } from '../../../errors.ts'
import { peekStream } from '../../../lib/bytes/peek-stream.ts'
import { SYMBOLS_BYTES_MAX } from './model.ts'

/** The first line of a symbol file. */
export interface ModuleLine {
  module: string
  debugId: string
}

export interface SymbolFile extends ModuleLine {
  /** The whole file, including the first line. */
  stream: ReadableStream<Uint8Array>
}

const LINE_BYTES_MAX = 4096
const LINE_END = 0x0a
/** Rejects names with control characters: Postgres stores no NUL, and terminals interpret the others. */
const MODULE = /^MODULE (\S+) (\S+) ([0-9a-f]{1,64}) ([^\s\p{Cc}][^\p{Cc}]{0,254})$/iu

/** `MODULE <os> <arch> <debug id> <module name>`, as Breakpad writes it. */
export function parseModuleLine(line: string): ModuleLine | null {
  const [, , , debugId, module] = MODULE.exec(line.trimEnd()) ?? []
  return debugId !== undefined && module !== undefined ? { debugId: debugId.toUpperCase(), module } : null
}

/** Reads only the first line; the stream delivers the rest, and errors when the file is too large. */
export async function openSymbolFile(source: ReadableStream<Uint8Array>): Promise<SymbolFile> {
  const isEnough = (head: Buffer) => head.includes(LINE_END) || head.length >= LINE_BYTES_MAX
  const { head, whole } = await peekStream(source, isEnough)
  const end = head.indexOf(LINE_END)
  const line = parseModuleLine(head.toString('utf8', 0, end === -1 ? LINE_BYTES_MAX : end))
  if (!line) {
    throw new AppError('upload_field_invalid', {
      message: 'The first line of a symbol file must be "MODULE <os> <arch> <debug id> <module name>".',
    })
  }
  return { ...line, stream: whole(SYMBOLS_BYTES_MAX, symbolsTooLarge) }
}

export function symbolsTooLarge(): AppError {
  return new AppError('upload_too_large', {
    message: `The symbol file is larger than 512 MB (${SYMBOLS_BYTES_MAX} bytes).`,
  })
}
