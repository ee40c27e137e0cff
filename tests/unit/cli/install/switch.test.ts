import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import type { InstallPlan, NewFile } from '../../../../src/cli/install/plan.ts'
import { type InstalledFile, readRecord, statePaths } from '../../../../src/cli/install/record.ts'
import { createJournal, finishSwitch, writeJournal } from '../../../../src/cli/install/switch.ts'
import { createTempDir } from '../../../helpers/processes/child.ts'

type Tree = Record<string, string>

let dir: Awaited<ReturnType<typeof createTempDir>>
let count = 0
beforeEach(async () => {
  dir = await createTempDir('switch')
})
afterEach(() => dir.remove())

const RECORD = {
  format: 1,
  server: 'https://store.example',
  game: { uid: 'u', vanity_name: 'moss', name: 'Moss' },
  channel: 'stable',
  app: 'main',
  os: 'linux',
  arch: 'x86_64',
  build_id: 'b',
  file_uid: 'f',
  file_size: 1,
  checksum: 'c',
  version: '2',
  launch: null,
  exe: null,
  files: [],
} as const

function newFile(path: string): NewFile {
  const numbers = { size: 0, packedAt: 0, packed: 0 }
  return {
    path,
    staged: path.replaceAll('/', '_'),
    copyOf: null,
    sha256: '',
    isExecutable: false,
    isDeflated: false,
    pieces: [],
    ...numbers,
  }
}

const old = (path: string): InstalledFile => ({
  path,
  size: 0,
  sha256: '',
  executable: false,
  modified_at: 0,
})

async function write(folder: string, tree: Tree): Promise<void> {
  for (const [path, text] of Object.entries(tree)) await Bun.write(join(folder, path), text)
}

async function read(folder: string): Promise<Tree> {
  const tree: Tree = {}
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (name.startsWith('.shelf')) continue
    const found = await lstat(join(folder, name))
    if (found.isFile()) tree[name] = await readFile(join(folder, name), 'utf8')
    else if (found.isSymbolicLink()) tree[name] = '->'
  }
  return tree
}

interface Case {
  before: Tree
  /** What the new version writes and removes. */
  places: Tree
  removes?: string[]
  mine?: string[]
  after: Tree
}

/** A folder in the moment after the journal was written. */
async function prepare({ before, places, removes = [], mine = [] }: Case): Promise<string> {
  const folder = join(dir.path, String((count += 1)))
  await write(folder, before)
  const files = Object.keys(places).map(newFile)
  const plan: InstallPlan = { kept: [], files, removed: removes.map(old), local: new Map() }
  for (const { path, staged } of files)
    await Bun.write(join(statePaths(folder).staged, staged), places[path] ?? '')
  const journal = createJournal(plan, (path) => mine.includes(path))
  await writeJournal(folder, journal, { record: { ...RECORD, files: [] }, contents: new Uint8Array([1]) })
  return folder
}

class Crash extends Error {}

/** Ends the switch before its n-th step, as a lost process would. */
function crashAt(step: number) {
  let done = 0
  return () => {
    done += 1
    if (done > step) throw new Crash()
  }
}

const CASES: [string, Case][] = [
  [
    'changes, adds and removes files',
    {
      before: { 'bin/game': 'old', 'data/a': 'a1', 'data/old/b': 'b1', saves: 'mine' },
      places: { 'bin/game': 'new', 'data/a': 'a2', 'more/c': 'c' },
      removes: ['data/old/b'],
      after: { 'bin/game': 'new', 'data/a': 'a2', 'more/c': 'c', saves: 'mine' },
    },
  ],
  [
    'keeps what the player changed or added beside it',
    {
      before: { 'a.cfg': 'mine', 'a.cfg.mine': 'older', 'b.cfg': 'mine too', c: 'added' },
      places: { 'a.cfg': 'new', c: 'c' },
      removes: ['b.cfg'],
      mine: ['a.cfg', 'b.cfg', 'c'],
      after: {
        'a.cfg': 'new',
        'a.cfg.mine': 'older',
        'a.cfg.mine.2': 'mine',
        'b.cfg.mine': 'mine too',
        c: 'c',
        'c.mine': 'added',
      },
    },
  ],
  [
    'turns files into folders and folders into files',
    {
      before: { a: 'file', 'b/c': 'inside', 'b/save': 'of the player' },
      places: { 'a/x': 'x', b: 'b' },
      removes: ['a', 'b/c'],
      after: { 'a/x': 'x', b: 'b', 'b.mine/save': 'of the player' },
    },
  ],
  [
    'changes the case of a name',
    {
      before: { 'Data.pck': 'old', 'bin/Game': 'old' },
      places: { 'data.pck': 'new', 'bin/game': 'new' },
      removes: ['Data.pck', 'bin/Game'],
      after: { 'data.pck': 'new', 'bin/game': 'new' },
    },
  ],
]

describe.each(CASES)('a switch that %s', (_, example) => {
  test('ends with the new version', async () => {
    const folder = await prepare(example)
    await finishSwitch(folder)
    expect(await read(folder)).toEqual(example.after)
    expect((await readRecord(folder))?.version).toBe('2')
    expect((await readdir(statePaths(folder).state)).sort()).toEqual(['contents', 'install.json'])
    expect(await finishSwitch(folder)).toBeNull()
  })

  test('ends so after a crash before any of its steps, and before any step of what finishes it', async () => {
    for (let step = 0; ; step += 1) {
      const folder = await prepare(example)
      const first = await finishSwitch(folder, crashAt(step)).catch((error: unknown) => error)
      if (!(first instanceof Crash)) break
      for (let again = 0; again <= 2; again += 1)
        await finishSwitch(folder, crashAt(again)).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error
        })
      await finishSwitch(folder)
      expect([step, await read(folder)]).toEqual([step, example.after])
      expect((await readRecord(folder))?.version).toBe('2')
    }
  })
})

test('nothing is written through a link, and what it leads to stays', async () => {
  const outside = join(dir.path, 'outside')
  await write(outside, { a: 'of others' })
  const folder = await prepare({
    before: { keep: 'k' },
    places: { 'data/a': 'new' },
    removes: ['data/old'],
    after: {},
  })
  await write(outside, { old: 'of others' })
  await symlink(outside, join(folder, 'data'))
  const result = await finishSwitch(folder)
  expect(result?.mine).toEqual(['data.mine'])
  expect(await read(folder)).toMatchObject({ 'data/a': 'new', 'data.mine': '->' })
  expect(await read(outside)).toEqual({ a: 'of others', old: 'of others' })
})

const PLACE = { staged: 'new', path: 'new', drop: null, is_mine: false }
test.each([
  ['removes a file outside', { removes: [{ path: '../outside/a', is_mine: false }] }],
  ['keeps a file outside under another name', { removes: [{ path: '../outside/a', is_mine: true }] }],
  ['removes by an absolute path', { removes: [{ path: '/../outside/a', is_mine: false }] }],
  ['overwrites a file outside', { places: [{ ...PLACE, path: '../outside/a' }] }],
  ['fetches a file from outside', { places: [{ ...PLACE, staged: '../../../../outside/a' }] }],
  ['takes a folder for a file', { places: [{ ...PLACE, staged: '..' }] }],
  ['drops a file outside', { places: [{ ...PLACE, drop: { path: '../outside/a', is_mine: false } }] }],
  ['overwrites the record of shelf', { places: [{ ...PLACE, path: '.shelf/install.json' }] }],
  ['overwrites it by another case', { places: [{ ...PLACE, path: '.SHELF/install.json' }] }],
])('a journal that %s is refused', async (_, change) => {
  const folder = join(dir.path, 'game')
  const outside = join(dir.path, 'outside')
  await write(outside, { a: 'of others' })
  await Bun.write(join(statePaths(folder).staged, 'new'), 'foreign')
  await Bun.write(
    statePaths(folder).journal,
    JSON.stringify({ format: 1, places: [], removes: [], ...change }),
  )
  expect(finishSwitch(folder)).rejects.toMatchObject({
    exit: 'files',
    hint: expect.stringContaining('Remove'),
  })
  await finishSwitch(folder).catch(() => undefined)
  expect(await read(outside)).toEqual({ a: 'of others' })
  expect(await read(folder)).toEqual({})
})

test('without a journal nothing is switched', async () => {
  const folder = join(dir.path, 'plain')
  await mkdir(statePaths(folder).staged, { recursive: true })
  await write(folder, { a: 'old' })
  await Bun.write(join(statePaths(folder).staged, 'a'), 'new')
  expect(await finishSwitch(folder)).toBeNull()
  expect(await read(folder)).toEqual({ a: 'old' })
})
