import type { HeaderSet } from '../../../http/output/caching.ts'

type Value = string | number | null
type Rows = readonly (readonly Value[])[]

/**
 * Text that a spreadsheet runs as a formula: at the start of a cell, or after a character at which it may
 * split one: half of Europe's split at `;`, even inside quotes. Invisible marks and quotes may precede it.
 */
const FORMULA = /(^|[;\t\r\n|])([\s\p{Cf}"]*[=+\-@\t\r＝＋－＠])/gu

/** Prefixes formulas with an apostrophe, so that spreadsheets treat them as text. */
function cellOf(value: Value): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = value.replaceAll(FORMULA, "$1'$2")
  return /[",;\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function csvOf(rows: Rows): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}

export function sendCsv(set: HeaderSet, name: string, rows: Rows): Response {
  set.headers['content-type'] = 'text/csv; charset=utf-8'
  set.headers['content-disposition'] = `attachment; filename="${name}.csv"`
  set.headers['cache-control'] = 'no-store'
  return new Response(csvOf(rows))
}

/** A long file, made batch by batch while it is read. */
export function streamCsv<Item>(
  set: HeaderSet,
  name: string,
  head: readonly string[],
  batches: AsyncIterable<readonly Item[]>,
  toRow: (item: Item) => readonly Value[],
): Response {
  set.headers['content-type'] = 'text/csv; charset=utf-8'
  set.headers['content-disposition'] = `attachment; filename="${name}.csv"`
  set.headers['cache-control'] = 'no-store'
  const encoder = new TextEncoder()
  const iterator = batches[Symbol.asyncIterator]()
  return new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(csvOf([head]))),
      async pull(controller) {
        const { value, done } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(csvOf(value.map(toRow))))
      },
      cancel: async () => void (await iterator.return?.()),
    }),
  )
}
