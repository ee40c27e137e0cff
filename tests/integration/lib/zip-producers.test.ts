import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { writeZip } from '../../../src/lib/bytes/zip-writer.ts'
import { sourceOf, unpack } from '../../helpers/files/unpack.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'zip-producers-'))
  await mkdir(join(dir, 'game/data/empty'), { recursive: true })
  const random = crypto.getRandomValues(new Uint8Array(60_000))
  await Bun.write(join(dir, 'game/data/level.pck'), random)
  await Bun.write(join(dir, 'game/readme.txt'), 'hello '.repeat(50_000))
  await Bun.write(join(dir, 'game/ünïcode 日本.txt'), 'hello')
  await Bun.write(join(dir, 'game/nothing'), '')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const SIZES = {
  'game/data/level.pck': 60_000,
  'game/readme.txt': 300_000,
  'game/ünïcode 日本.txt': 5,
  'game/nothing': 0,
}

/** The files of the zip that a command makes at `$zip`, or writes to its output. */
async function pack(command: string[], { isPiped = false } = {}): Promise<Record<string, number>> {
  const path = join(dir, `${crypto.randomUUID()}.zip`)
  const child = Bun.spawn(
    command.map((word) => word.replace('$zip', path)),
    {
      cwd: dir,
      stdout: isPiped ? 'pipe' : 'ignore',
      stderr: 'ignore',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    },
  )
  const piped = await Array.fromAsync(child.stdout ?? [])
  expect(await child.exited).toBe(0)
  const sizes = await unpack(sourceOf(isPiped ? Buffer.concat(piped) : await Bun.file(path).bytes()))
  return Object.fromEntries(Object.entries(sizes).filter(([name]) => !name.endsWith('/')))
}

const python = (script: string) => ['python3', '-c', `import sys, zipfile, os\n${script}`, '$zip']
const ADD_ALL = `
for root, _, names in os.walk('game'):
    zip.write(root)
    for name in names:
        zip.write(os.path.join(root, name))
`

describe.skipIf(Bun.which('zip') === null)('zip', () => {
  // How names are encoded depends on the locale it was built for.
  const sorted = (sizes: Record<string, number>) => Object.values(sizes).toSorted((a, b) => a - b)

  test.each([
    ['deflated', ['zip', '-r', '$zip', 'game']],
    ['stored, without extra fields', ['zip', '-0', '-X', '-r', '$zip', 'game']],
    ['with 64-bit fields', ['zip', '-fz', '-r', '$zip', 'game']],
    ['with descriptors', ['zip', '-fd', '-r', '$zip', 'game']],
  ])('%s', async (_, command) => {
    expect(sorted(await pack(command))).toEqual(sorted(SIZES))
  })

  test('to a pipe', async () => {
    const packed = await pack(['sh', '-c', 'zip -r - game | cat'], { isPiped: true })
    expect(sorted(packed)).toEqual(sorted(SIZES))
  })

  test('from a pipe', async () => {
    expect(await pack(['sh', '-c', 'echo hello | zip "$0" -', '$zip'])).toEqual({ '-': 6 })
  })

  test('changed afterwards', async () => {
    const script = 'zip -r "$0" game && zip -d "$0" game/readme.txt && zip -g "$0" game/readme.txt'
    expect(sorted(await pack(['sh', '-c', script, '$zip']))).toEqual(sorted(SIZES))
  })
})

describe.skipIf(Bun.which('python3') === null)('Python', () => {
  test.each([
    ['deflated', `with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as zip:${indent(ADD_ALL)}`],
    ['stored', `with zipfile.ZipFile(sys.argv[1], 'w') as zip:${indent(ADD_ALL)}`],
    [
      'appended to',
      `with zipfile.ZipFile(sys.argv[1], 'w') as zip: zip.write('game/nothing')
os.rename('game/nothing', 'nothing')
try:
  with zipfile.ZipFile(sys.argv[1], 'a', zipfile.ZIP_DEFLATED) as zip:${indent(indent(ADD_ALL))}
finally: os.rename('nothing', 'game/nothing')`,
    ],
  ])('%s', async (_, script) => {
    expect(await pack(python(script))).toEqual(SIZES)
  })

  test('to a pipe, with and without 64-bit fields', async () => {
    const script = `
class Pipe:
    def write(self, data): return sys.stdout.buffer.write(data)
    def flush(self): pass
with zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED) as zip:
    for wide in (False, True):
        with zip.open(f'wide-{wide}', 'w', force_zip64=wide) as entry: entry.write(b'hello' * 1000)
`
    expect(await pack(python(script), { isPiped: true })).toEqual({ 'wide-False': 5000, 'wide-True': 5000 })
  })
})

describe.skipIf(Bun.which('jar') === null)('jar', () => {
  test.each([
    ['with a manifest', ['jar', 'cf', '$zip', 'game']],
    ['stored', ['jar', 'c0fM', '$zip', 'game']],
  ])('%s', async (_, command) => {
    expect(await pack(command)).toMatchObject(SIZES)
  })
})

test('our own writer', async () => {
  const body = [Buffer.from('hello'), Buffer.from(' world')]
  const zip = await Array.fromAsync(
    writeZip([
      { name: 'a.txt', modifiedAt: new Date(), body },
      { name: 'b/c.txt', modifiedAt: new Date(), body: [] },
    ]),
  )
  expect(await unpack(sourceOf(Buffer.concat(zip)))).toEqual({ 'a.txt': 11, 'b/c.txt': 0 })
})

function indent(script: string): string {
  return script.replaceAll('\n', '\n  ')
}
