import type { Line, Target } from './line.ts'

const HEAD = ['scenario', 'measure', 'subject', 'baseline', 'ratio', 'target', 'result']
const FIRST_FIGURE = 2

/** Formats the final table, one line of text per row. */
export function formatTable(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(formatLine)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const [head = '', ...rest] = rows.map((row) =>
    row
      .map((cell, column) => align(cell, widths[column] ?? 0, column >= FIRST_FIGURE))
      .join('  ')
      .trimEnd(),
  )
  return [head, widths.map((width) => '-'.repeat(width)).join('  '), ...rest].join('\n')
}

export function formatLine(line: Line): string[] {
  return [
    line.scenario,
    line.measure,
    `${formatFigure(line.subject)} ${line.unit}`,
    line.baseline === null ? '' : `${formatFigure(line.baseline)} ${line.unit}`,
    line.ratio === null ? '' : line.ratio.toFixed(2),
    line.target === null ? '' : formatTarget(line.target, line.unit),
    line.reached === null ? '' : line.reached ? 'pass' : 'MISS',
  ]
}

function formatTarget({ of, must, value }: Target, unit: string): string {
  return `${must === 'reach' ? '>=' : '<'} ${of === 'ratio' ? value.toFixed(2) : `${value} ${unit}`}`
}

/** Rounds to about three digits: a noisy machine gives no more precision. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '?'
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}

function align(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width)
}
