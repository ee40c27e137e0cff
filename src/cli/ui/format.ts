import { toPrintableLine } from '../../lib/text/printable.ts'

/** 0:05, 12:30 or 1:02:03. */
export function formatTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const pad = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}

/** Columns as wide as their longest cell. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(toPrintableLine))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ''))))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
