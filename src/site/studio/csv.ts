import type { ResponseSettings } from '../render.ts'

type Value = string | number | null

/** Cells that a spreadsheet would run as a formula are quoted with an apostrophe. */
function cellOf(value: Value): string {
  if (value === null) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function sendCsv(set: ResponseSettings, name: string, rows: readonly (readonly Value[])[]): Response {
  set.headers['content-type'] = 'text/csv; charset=utf-8'
  set.headers['content-disposition'] = `attachment; filename="${name}.csv"`
  set.headers['cache-control'] = 'no-store'
  return new Response(rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join(''))
}
