import { describe, expect, test } from 'bun:test'

import { judge, median, percentile, summarise } from '../bench/report/line.ts'
import { formatFigure, formatTable } from '../bench/report/table.ts'
import { mergeResults } from '../bench/report/write-results.ts'
import {
  parseCpuSeconds,
  parseMemory,
  readCpuSeconds,
  readMemory,
} from '../helpers/processes/process-stats.ts'

describe('statistics', () => {
  test('a percentile is a value that was measured', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
    expect([0, 0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 50, 95, 99, 100])
    expect(percentile([7], 0.99)).toBe(7)
    expect(percentile([], 0.5)).toBeNaN()
  })

  test('a summary sorts by size, not by spelling, and leaves the values as they were', () => {
    const values = [100, 9, 20]
    expect(summarise(values)).toEqual({ p50: 20, p95: 100, p99: 100 })
    expect(values).toEqual([100, 9, 20])
  })

  test('the median of an even count lies between the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([10, 1, 4, 2])).toBe(3)
  })
})

describe('process figures', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '1'), '250', '130', '7', '9', '20']

  test('CPU time is utime and stime, whatever the program is called', () => {
    expect(parseCpuSeconds(`4711 (bun) ${fields.join(' ')}`)).toBe(3.8)
    expect(parseCpuSeconds(`4711 (a b) S (x) ${fields.join(' ')}`)).toBe(3.8)
    expect(() => parseCpuSeconds('')).toThrow('/proc/<pid>/stat')
  })

  test('memory is read from the field asked for', () => {
    const status = 'Name:\tbun\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n'
    expect(parseMemory(status, 'VmRSS')).toBe(100)
    expect(parseMemory(status, 'VmHWM')).toBe(200)
    expect(() => parseMemory('Name:\tbun\n', 'VmRSS')).toThrow('VmRSS')
  })

  test('a running process is read the same way', async () => {
    const before = await readCpuSeconds(process.pid)
    const spent = process.cpuUsage()
    while (process.cpuUsage(spent).user < 30_000) Bun.hash('work')
    expect(await readCpuSeconds(process.pid)).toBeGreaterThan(before)
    expect(await readMemory(process.pid, 'VmRSS')).toBeGreaterThan(10)
  })
})

describe('judging', () => {
  const measured = { scenario: 's', measure: 'm', unit: 'ms' }

  test('a ratio target looks at the ratio, and its edge is reached', () => {
    const target = { of: 'ratio', must: 'reach', value: 0.8 } as const
    expect(judge({ ...measured, subject: 8, baseline: 10, target })).toMatchObject({
      ratio: 0.8,
      reached: true,
    })
    expect(judge({ ...measured, subject: 7, baseline: 10, target }).reached).toBe(false)
    expect(judge({ ...measured, subject: 7, baseline: 10, ratio: 0.9, target }).reached).toBe(true)
    expect(judge({ ...measured, subject: 7, baseline: null, target }).reached).toBe(false)
  })

  test('a limit looks at the figure itself, and its edge is too much', () => {
    const target = { of: 'subject', must: 'stay below', value: 300 } as const
    expect(judge({ ...measured, subject: 299, baseline: 10, target }).reached).toBe(true)
    expect(judge({ ...measured, subject: 300, baseline: 10, target }).reached).toBe(false)
  })

  test('without a target nothing is passed or missed', () => {
    expect(judge({ ...measured, subject: 1, baseline: null })).toMatchObject({ ratio: null, reached: null })
  })
})

describe('table', () => {
  test('columns line up and tell figures, targets and results', () => {
    const lines = [
      judge({
        scenario: 'health',
        measure: 'requests per CPU second',
        unit: 'req',
        subject: 61_234.4,
        baseline: 80_000,
        target: { of: 'ratio', must: 'reach', value: 0.8 },
      }),
      judge({
        scenario: 'start',
        measure: 'first answer',
        unit: 'ms',
        subject: 98.25,
        baseline: null,
        target: { of: 'subject', must: 'stay below', value: 300 },
      }),
    ]
    expect(formatTable(lines).split('\n')).toEqual([
      'scenario  measure                     subject    baseline  ratio    target  result',
      '--------  -----------------------  ----------  ----------  -----  --------  ------',
      'health    requests per CPU second  61,234 req  80,000 req   0.77   >= 0.80    MISS',
      'start     first answer                98.3 ms                     < 300 ms    pass',
    ])
  })

  test('figures are as short as they can be', () => {
    expect([1234.5, 99.94, 9.876, 0.5, Number.NaN].map(formatFigure)).toEqual([
      '1,235',
      '99.9',
      '9.88',
      '0.50',
      '?',
    ])
  })
})

describe('the chapter', () => {
  const order = ['health', 'start', 'jobs']
  const row = (scenario: string, measure: string, subject: number) =>
    judge({ scenario, measure, unit: 'ms', subject, baseline: null })

  test('gets the rows of what was measured, in order, and keeps the others', () => {
    const empty = 'Above.\n<!-- results -->\n<!-- /results -->\nBelow.\n'
    const machine = { load: 0.44 }
    const [older, newer] = ['2026-01-30T12:00:00.000Z', '2026-01-31T12:00:00.000Z']
    const lines = [row('start', 'c', 3), row('jobs', 'd', 4), row('jobs', 'e', 5)]
    const first = mergeResults(
      empty,
      { lines: [row('jobs', 'a', 1), row('health', 'b', 2)], date: older, machine },
      order,
    )
    const second = mergeResults(first, { lines, date: newer, machine }, order)
    expect(second.split('\n').filter((line) => line !== '')).toEqual([
      'Above.',
      '<!-- results -->',
      '| Scenario | Measure | Playshelf | Baseline | Ratio | Target | Result | Run |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| `health` | b | 2.00 ms |  |  |  |  | 2026-01-30, load 0.4 |',
      '| `start` | c | 3.00 ms |  |  |  |  | 2026-01-31, load 0.4 |',
      '| `jobs` | d | 4.00 ms |  |  |  |  | 2026-01-31, load 0.4 |',
      '| `jobs` | e | 5.00 ms |  |  |  |  | 2026-01-31, load 0.4 |',
      '<!-- /results -->',
      'Below.',
    ])
  })
})
