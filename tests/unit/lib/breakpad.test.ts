import { describe, expect, test } from 'bun:test'

import { findSymbols } from '../../../src/lib/breakpad.ts'

const FILE = `MODULE Linux x86_64 6ADAC5A0F1E94A7FB2A3C1D0E5F607180 lighthouse
INFO CODE_ID A0C5DA6AE9F17F4AB2A3C1D0E5F60718
FILE 0 /src/main.cpp
FILE 1 /src/with space.cpp
FILE 12 /src/lamp.cpp
INLINE_ORIGIN 0 inlined(int)
FUNC 1000 40 0 main
1000 10 7 0
1010 20 9 1
1030 10 11 0
FUNC m 2000 20 8 Lamp::turn(std::map<int, Star> const&)
INLINE 0 5 12 0 2000 8
2000 20 3 12
FUNC 3000 10 0 without_lines
FUNC 9000 8 0 far_away
9000 8 1 0
PUBLIC 4000 0 exported
PUBLIC m 5000 0 exported_twice
PUBLIC 800 0 early
PUBLIC ffffffff00 0 very_far
STACK CFI INIT 1000 40 .cfa: $rsp 8 +
`

/** The same bytes in pieces of any size. */
function openIn(pieces: number, text = FILE) {
  const bytes = new TextEncoder().encode(text)
  let opened = 0
  const open = async () => {
    opened += 1
    return (async function* () {
      for (let start = 0; start < bytes.length; start += pieces) yield bytes.subarray(start, start + pieces)
    })()
  }
  return { open, opened: () => opened }
}

async function find(offset: number, text = FILE) {
  return (await findSymbols(openIn(4096, text).open, [offset])).get(offset)
}

describe('a place in a module', () => {
  test.each([
    ['the first byte of a function', 0x1000, 'main', '/src/main.cpp', 7],
    ['the middle of a line', 0x1012, 'main', '/src/with space.cpp', 9],
    ['the last byte of a line', 0x102f, 'main', '/src/with space.cpp', 9],
    ['the first byte of the next line', 0x1030, 'main', '/src/main.cpp', 11],
    ['the last byte of a function', 0x103f, 'main', '/src/main.cpp', 11],
    [
      'a function that stands for several',
      0x2010,
      'Lamp::turn(std::map<int, Star> const&)',
      '/src/lamp.cpp',
      3,
    ],
    ['a function without lines', 0x3005, 'without_lines', null, null],
    ['behind a public symbol', 0x4123, 'exported', null, null],
    ['between a public symbol and the first function', 0xfff, 'early', null, null],
    ['at a public symbol', 0x5000, 'exported_twice', null, null],
    ['beyond 32 bits', 0xff_ffff_ff10, 'very_far', null, null],
  ])('%s', async (_, offset, name, file, line) => {
    expect(await find(offset)).toEqual({ function: name, file, line })
  })

  test.each([
    ['before everything', 0x7ff],
    ['right behind a function', 0x1040],
    ['between a function and the next public symbol', 0x3010],
    ['behind a function that comes after a public symbol', 0x9100],
  ])('%s is not known', async (_, offset) => {
    expect(await find(offset)).toBeUndefined()
  })
})

describe('a symbol file', () => {
  test('may come in pieces of any size', async () => {
    const offsets = [0x1012, 0x2010, 0x3005, 0x4123, 0x1040]
    const whole = await findSymbols(openIn(100_000).open, offsets)
    expect(whole.size).toBe(4)
    for (const pieces of [1, 2, 3, 7, 64])
      expect(await findSymbols(openIn(pieces).open, offsets)).toEqual(whole)
  })

  test('may end its lines as on Windows, or without an end', async () => {
    const [crlf, open] = [FILE.replaceAll('\n', '\r\n'), FILE.trimEnd()]
    for (const text of [crlf, open]) {
      expect(await find(0x1012, text)).toEqual({ function: 'main', file: '/src/with space.cpp', line: 9 })
    }
  })

  test.each([
    ['nothing', ''],
    ['no symbols', 'hello\nFUNC\nFUNC x y z\nPUBLIC\nFUNC 1000 zz 0 main\nFUNC 1000\n'],
    ['a line without an end', 'F'.repeat(300_000)],
  ])('with %s tells nothing', async (_, text) => {
    expect(await find(0x1000, text)).toBeUndefined()
  })

  test('is read a second time only for the names of sources', async () => {
    for (const [offset, times] of [
      [0x1012, 2],
      [0x4123, 1],
    ] as const) {
      const { open, opened } = openIn(64)
      await findSymbols(open, [offset])
      expect(opened()).toBe(times)
    }
  })
})

describe('a hostile symbol file', () => {
  const OFFSETS = Array.from({ length: 20_000 }, (_, index) => 0x1000 + index * 2)
  const ALL = 'ffffff'

  /** Every record claims all offsets, which costs lines × offsets when each is compared with each. */
  function claimAll(records: number): string {
    const lines = Array.from({ length: records }, (_, index) => `FUNC 0 ${ALL} 0 f${index}\n1 1 1 0\n`)
    return `MODULE Linux x86_64 AB game\n${lines.join('')}`
  }

  /** CPU time in milliseconds, which other programs of the machine do not change. */
  async function time(work: () => Promise<unknown>): Promise<number> {
    const start = process.cpuUsage()
    await work()
    return process.cpuUsage(start).user / 1000
  }

  test('costs about the same for many offsets as for one', async () => {
    const text = claimAll(5000)
    const read = (offsets: number[]) => time(() => findSymbols(openIn(text.length, text).open, offsets))
    await read([0x1000])
    const one = await read([0x1000])
    expect(await read(OFFSETS)).toBeLessThan(Math.max(one, 20) * 20)
  })

  test('gives every offset the first function and the first line that covers it', async () => {
    const text = `FILE 0 a.cpp\nFUNC 1000 ${ALL} 0 wide\n1000 2 1 0\n1000 ${ALL} 2 0\nFUNC 0 ${ALL} 0 later\n0 ${ALL} 3 0\n`
    const found = await findSymbols(openIn(64, text).open, [0xfff, 0x1000, 0x1001, 0x1002, 0x2000])
    expect([...found].sort(([a], [b]) => a - b).map(([, hit]) => `${hit.function}:${hit.line}`)).toEqual([
      'later:3',
      'wide:1',
      'wide:1',
      'wide:2',
      'wide:2',
    ])
  })

  test('lets others run while it is read, also when it comes in one piece', async () => {
    const text = claimAll(200_000)
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const before = turns
    await findSymbols(openIn(text.length, text).open, OFFSETS.slice(0, 10))
    isDone = true
    expect(turns - before).toBeGreaterThan(10)
  })
})
