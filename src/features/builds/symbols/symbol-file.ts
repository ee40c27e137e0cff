import { AppError } from '../../../errors.ts'
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
  const reader = source.getReader()
  let head: Buffer = Buffer.alloc(0)
  while (!head.includes(LINE_END) && head.length < LINE_BYTES_MAX) {
    const { done, value } = await reader.read()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const end = head.indexOf(LINE_END)
  const line = parseModuleLine(head.toString('utf8', 0, end === -1 ? LINE_BYTES_MAX : end))
  if (!line) {
    throw new AppError('upload_field_invalid', {
      message: 'The first line of a symbol file must be "MODULE <os> <arch> <debug id> <module name>".',
    })
  }
  let size = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = size === 0 ? head : (await reader.read()).value
        if (!bytes) return controller.close()
        size += bytes.length
        if (size > SYMBOLS_BYTES_MAX) throw symbolsTooLarge()
        controller.enqueue(bytes)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { ...line, stream }
}

export function symbolsTooLarge(): AppError {
  return new AppError('upload_too_large', {
    message: `The symbol file is larger than 512 MB (${SYMBOLS_BYTES_MAX} bytes).`,
  })
}
