import { describe, expect, test } from 'bun:test'

import {
  type BuildRequest,
  chooseBuild,
  hostArchitectures,
} from '../../../../src/cli/install/choose-build.ts'
import { groupRanges } from '../../../../src/cli/install/fetch/spool.ts'
import { BLOCK_MAX, planInstall } from '../../../../src/cli/install/plan.ts'
import type { InstalledFile } from '../../../../src/cli/install/record.ts'
import type { InstallBuilds } from '../../../../src/features/catalog/installs/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import type { ContentsEntry } from '../../../../src/lib/zip/contents.ts'

type Build = InstallBuilds['builds'][number]

const NOTHING_INSTALLED = { files: [], contents: [], isIntact: () => false }

function build(os: Build['os'], arch: Build['arch'], app = 'main'): Build {
  const file = {
    file_uid: createUid(),
    filename: 'game.zip',
    size: 1,
    checksum: 'a',
    blocks: true,
    installed_size: 1,
    launch: null,
    saves: null,
  }
  const target = { channel: 'stable', app, app_name: app, os, arch }
  return { ...target, version: '1.2.0', build_id: createUid(), files: [file] }
}

const GAME = { uid: createUid(), vanity_name: 'moss-garden', name: 'Moss Garden' }
const BUILDS = [
  build('windows', 'x86'),
  build('linux', 'x86'),
  build('linux', 'x86_64'),
  build('linux', 'x86_64', 'server'),
]
const REQUEST: BuildRequest = {
  channel: 'stable',
  app: 'main',
  os: 'linux',
  archs: hostArchitectures('linux', 'x64'),
  version: null,
}
const choose = (request: Partial<BuildRequest>) => {
  const { os, arch, app } = chooseBuild({ game: GAME, builds: BUILDS }, { ...REQUEST, ...request }).build
  return `${os} ${arch} ${app}`
}

describe('the build to install', () => {
  test('is the best for the machine, or what was asked for', () => {
    expect(choose({})).toBe('linux x86_64 main')
    expect(choose({ archs: ['x86'] })).toBe('linux x86 main')
    expect(choose({ app: 'server' })).toBe('linux x86_64 server')
    expect(choose({ os: 'windows', archs: hostArchitectures('win32', 'x64') })).toBe('windows x86 main')
    expect(choose({ version: '1.2.0' })).toBe('linux x86_64 main')
  })

  test('that is not there is refused with what there is', () => {
    expect(() => choose({ os: 'macos' })).toThrow('has no build for macos x86_64 on the channel stable')
    expect(() => choose({ version: '1.0.0' })).toThrow('The channel stable has version 1.2.0, not 1.0.0.')
  })
})

function entry(path: string, sha256: string, more: Partial<ContentsEntry> = {}): ContentsEntry {
  return {
    path,
    sha256,
    dataAt: 100,
    packed: 10,
    size: 20,
    method: 8,
    mode: 0o100_644,
    blocks: null,
    ...more,
  }
}

function file(path: string, sha256: string, more: Partial<InstalledFile> = {}): InstalledFile {
  return { path, sha256, size: 20, executable: false, modified_at: 1, ...more }
}

const intact = { contents: [], isIntact: () => true }

describe('the plan of an installation', () => {
  test('of an empty folder writes everything', () => {
    const { kept, files, removed } = planInstall([entry('a', 'A'), entry('./b//c', 'B')], NOTHING_INSTALLED)
    expect(kept).toEqual([])
    expect(removed).toEqual([])
    expect(files.map(({ path, staged }) => [path, staged])).toEqual([
      ['a', 'A'],
      ['b/c', 'B'],
    ])
    expect(files[0]?.pieces).toEqual([
      { at: 0, size: 20, sha256: 'A', packedAt: 100, packed: 10, isDeflated: true },
    ])
  })

  test('keeps what is intact, writes what changed, removes what is gone', () => {
    const files = [file('same', 'A'), file('changed', 'B'), file('gone', 'C'), file('broken', 'D')]
    const plan = planInstall(
      [entry('same', 'A'), entry('changed', 'B2'), entry('broken', 'D'), entry('new', 'E')],
      { files, contents: [], isIntact: ({ path }) => path !== 'broken' },
    )
    expect(plan.kept.map(({ path }) => path)).toEqual(['same'])
    expect(plan.files.map(({ path }) => path)).toEqual(['changed', 'broken', 'new'])
    expect(plan.removed.map(({ path }) => path)).toEqual(['gone'])
  })

  test('finds content under any name, whole files before blocks', () => {
    const blocks = [
      { size: 12, packedSize: 6, sha256: 'b1' },
      { size: 8, packedSize: 4, sha256: 'b2' },
    ]
    const { local } = planInstall([], {
      files: [file('old', 'A'), file('data', 'D')],
      contents: [
        entry('data', 'D', { blocks }),
        entry('old', 'another', { blocks: [{ size: 20, packedSize: 10, sha256: 'x' }] }),
      ],
      isIntact: () => true,
    })
    expect(local.get('A')).toEqual({ path: 'old', at: 0, size: 20 })
    expect(local.get('b1')).toEqual({ path: 'data', at: 0, size: 12 })
    expect(local.get('b2')).toEqual({ path: 'data', at: 12, size: 8 })
    // Contents of another version say nothing about this file.
    expect(local.has('x')).toBe(false)
  })

  test('writes a file again when only its executable bit changed, and a program without a mode can be started', () => {
    const mode = 0o100_755
    const { kept, files } = planInstall([entry('a', 'A', { mode })], { files: [file('a', 'A')], ...intact })
    expect(kept).toEqual([])
    expect(files[0]).toMatchObject({ path: 'a', isExecutable: true, staged: 'A.x' })
    const launched = planInstall([entry('bin/game', 'G', { mode: null })], NOTHING_INSTALLED, 'bin/game')
    expect(launched.files[0]?.isExecutable).toBe(true)
  })

  test('fetches the same content once', () => {
    const { files } = planInstall([entry('a', 'A'), entry('b', 'A')], NOTHING_INSTALLED)
    expect(files.map(({ staged, copyOf }) => [staged, copyOf])).toEqual([
      ['A', null],
      ['A-1', 'A'],
    ])
  })

  test('unpacks nothing large in memory, whatever the store says', () => {
    const huge = { size: BLOCK_MAX + 1, packed: 1000 }
    const blocks = [{ size: huge.size, packedSize: huge.packed, sha256: 'b' }]
    const { files } = planInstall(
      [entry('a', 'A', { ...huge, blocks }), entry('b', 'B', huge)],
      NOTHING_INSTALLED,
    )
    expect(files.map(({ pieces }) => pieces)).toEqual([null, null])
  })
})

describe('ranges', () => {
  const part = (start: number, end: number) => ({ start, end, use: start })

  test('that are neighbours are one request', () => {
    const requests = groupRanges([part(200, 300), part(0, 100), part(110, 190), part(5000, 5100)], {
      gap: 20,
      max: 1000,
    })
    expect(requests.map(({ start, end, wanted }) => [start, end, wanted.length])).toEqual([
      [0, 300, 3],
      [5000, 5100, 1],
    ])
  })

  test('do not grow beyond what one connection should fetch', () => {
    const requests = groupRanges([part(0, 60), part(60, 120), part(120, 180)], { gap: 20, max: 120 })
    expect(requests.map(({ start, end }) => [start, end])).toEqual([
      [0, 120],
      [120, 180],
    ])
  })

  test('that overlap are asked for on their own', () => {
    expect(groupRanges([part(0, 100), part(50, 120)])).toHaveLength(2)
  })
})
