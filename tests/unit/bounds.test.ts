import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { LIMITS } from '../../src/domain/limit-table.ts'
import { LANES } from '../../src/jobs/define.ts'
import { loadHandlers } from '../../src/worker/registry.ts'

const ROOT = join(import.meta.dir, '../..')
const DOC = await Bun.file(join(ROOT, 'infra/docs/bounds.md')).text()
/** Everything that queues, holds a place or remembers is made by one of these. */
const MAKERS =
  /\b(?:create(?:Keyed|Fair)?Semaphore|createTimeSlices|create(?:Games)?Cache|new (?:Bounded|LRU)Cache|new BatchWriter)[<(]/
/** The makers themselves. */
const DEFINITIONS = new Set([
  'src/lib/flow/semaphore.ts',
  'src/lib/flow/time-slices.ts',
  'src/lib/flow/batches.ts',
  'src/lib/flow/time-slices.ts',
  'src/lib/cache/bounded-cache.ts',
  'src/lib/cache/cache.ts',
  'src/features/games/confirm.ts',
])
const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  GB: 1000 ** 3,
  ms: 1,
  s: 1000,
  min: 60_000,
  '': 1,
}

const WINDOWS: Readonly<Record<number, string>> = {
  60: 'a minute',
  900: 'in 15 minutes',
  3600: 'an hour',
  86_400: 'a day',
}
const COUNTED: Readonly<Record<string, string>> = {
  ip: 'address',
  account_and_listing: 'account and listing',
  ip_and_origin: 'address and play origin',
}

interface Claim {
  file: string
  name: string
  /** As written in the table. */
  value: string
}

/** Cells such as "`src/http/server/slow-lane.ts`: `SLOW_AT_ONCE` = 2, `PATIENCE_MS` = 1 s". */
function readClaims(text: string): Claim[] {
  return text.split('\n').flatMap((line) => {
    const [, file] = /`(src\/[^`]+\.tsx?)`/.exec(line) ?? []
    if (!file || !line.startsWith('|')) return []
    return [...line.matchAll(/`([A-Z][A-Z0-9_]+)` = ([\d,.]+(?: (?:[KMG]iB|GB|ms|s|min)\b)?)/g)].map(
      ([, name = '', value = '']) => ({ file, name, value }),
    )
  })
}

function toNumber(value: string): number {
  const [number = '', unit = ''] = value.replaceAll(',', '').split(' ')
  return Number(number) * (UNITS[unit] ?? Number.NaN)
}

/** The value of a constant that is a number, or a product of numbers, powers and such constants. */
function readConstant(source: string, name: string): number {
  const [, expression] = new RegExp(`\\b${name} = ([\\w* ]+)$`, 'm').exec(source) ?? []
  if (!expression) return Number.NaN
  const read = (text: string) =>
    /^[\d_]+$/.test(text) ? Number(text.replaceAll('_', '')) : readConstant(source, text)
  return expression
    .split(' * ')
    .map((factor) => factor.split(' ** ').map(read))
    .reduce((product, [base = Number.NaN, exponent = 1]) => product * base ** exponent, 1)
}

async function readSource(file: string): Promise<string> {
  return await Bun.file(join(ROOT, file)).text()
}

describe('the table of bounds', () => {
  test.each(readClaims(DOC))('has the value of $name in $file', async ({ file, name, value }) => {
    expect(readConstant(await readSource(file), name)).toBe(toNumber(value))
  })

  test('names every file of the server that makes a slot, a queue or a cache', async () => {
    const missing: string[] = []
    for await (const file of new Bun.Glob('src/**/*.{ts,tsx}').scan({ cwd: ROOT })) {
      if (/^src\/(?:cli|demo)\/|\.client\.ts$/.test(file) || DEFINITIONS.has(file)) continue
      if (MAKERS.test(await readSource(file)) && !DOC.includes(`\`${file}\``)) missing.push(file)
    }
    expect(missing.sort()).toEqual([])
  })

  test('has every lane with its slots and its jobs', () => {
    const jobs = loadHandlers().map(({ job }) => job)
    for (const [lane, { slots, perOwner }] of Object.entries(LANES)) {
      const names = jobs.filter((job) => (job.lane ?? 'short') === lane).map(({ name }) => `\`${name}\``)
      expect(findRow(lane)).toEqual([
        `\`${lane}\``,
        String(slots),
        String(perOwner),
        names.toSorted().join(', '),
      ])
    }
  })

  test.each(Object.entries(LIMITS))('has the rate limit %s', (name, { max, windowSeconds, per }) => {
    const amount = `${max.toLocaleString('en')} ${WINDOWS[windowSeconds]}`
    expect(findRow(name)).toEqual([`\`${name}\``, amount, COUNTED[per] ?? per])
  })
})

/** The cells of the row whose first one is this name. */
function findRow(name: string): string[] | undefined {
  const line = DOC.split('\n').find((row) => row.startsWith(`| \`${name}\` `))
  return line
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
