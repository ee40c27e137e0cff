import { join } from 'node:path'

import type { Report } from './report.ts'
import { formatLine } from './table.ts'

export const CHAPTER = join(import.meta.dir, '../../../infra/docs/performance.md')
const TABLE = /(?<=<!-- results -->\n)[\s\S]*(?=<!-- \/results -->)/
const HEAD = ['Scenario', 'Measure', 'Playshelf', 'Baseline', 'Ratio', 'Target', 'Result', 'Run']

/**
 * Puts the lines of a run into the table of the chapter, instead of the rows that their scenarios had. Each row names its
 * run and the load of the machine before it, so that nobody compares a quiet machine with a busy one.
 */
export function mergeResults(
  chapter: string,
  { lines, date, machine }: Pick<Report, 'lines' | 'date'> & { machine: { load: number } },
  order: readonly string[],
): string {
  const run = `${date.slice(0, 10)}, load ${machine.load.toFixed(1)}`
  const measured = new Set(lines.map(({ scenario }) => scenario))
  const table = TABLE.exec(chapter)?.[0]
  if (table === undefined) throw new Error('The chapter has no place for results')
  const kept = [...table.matchAll(/^\| `([\w-]+)`.*$/gm)].flatMap(([row, scenario = '']) =>
    measured.has(scenario) ? [] : [{ scenario, row }],
  )
  const added = lines.map((line) => {
    const [scenario = '', ...cells] = formatLine(line)
    return { scenario, row: toRow([`\`${scenario}\``, ...cells, run]) }
  })
  const rows = [...kept, ...added].toSorted((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario))
  const text = [toRow(HEAD), toRow(HEAD.map(() => '---')), ...rows.map(({ row }) => row)].join('\n')
  return chapter.replace(TABLE, () => `\n${text}\n\n`)
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
