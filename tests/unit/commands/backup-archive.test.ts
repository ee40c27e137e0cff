import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unpackBackup } from '../../../src/commands/backup-archive.ts'
import { createManifest, type Manifest } from '../../../src/commands/backup-manifest.ts'
import { packTar, type TarInput } from '../../../src/lib/bytes/tar.ts'

let dir: string
let folder: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-unpack-'))
  folder = await mkdtemp(join(dir, 'target-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function archiveOf(manifest: object | null, names: readonly string[]): AsyncGenerator<Uint8Array> {
  return packTar(members())

  async function* members(): AsyncGenerator<TarInput> {
    if (manifest) yield member('manifest.json', JSON.stringify(manifest))
    for (const name of names) yield member(name, 'text')
  }
}

function member(name: string, text: string): TarInput {
  const body = Buffer.from(text)
  return { name, kind: 'file', size: body.length, mode: 0o600, mtime: 0, body: [body] }
}

async function manifestWith(change: Partial<Manifest>): Promise<Manifest> {
  return { ...(await createManifest(['postgres'])), ...change }
}

describe('an archive that anyone may have made', () => {
  test('opens no file to other users', async () => {
    const manifest = JSON.stringify(await manifestWith({}))
    async function* members(): AsyncGenerator<TarInput> {
      yield member('manifest.json', manifest)
      for (const name of ['objects', 'objects/builds'])
        yield { name, kind: 'folder', size: 0, mode: 0o755, mtime: 0, body: [] }
      yield { ...member('objects/builds/game.zip', 'text'), mode: 0o644 }
    }
    // The objects come first, the rest is missing.
    const refusal = await unpackBackup(packTar(members()), folder).catch(String)
    expect(refusal).toContain('lacks')
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777
    expect(await modeOf('objects')).toBe(0o700)
    expect(await modeOf('objects/builds')).toBe(0o700)
    expect(await modeOf('objects/builds/game.zip')).toBe(0o600)
  })

  test.each([
    '../outside',
    '/outside',
    'objects/../../outside',
    'objects/./outside',
    'objects//outside',
    String.raw`objects\..\outside`,
    'outside',
    '.restoring/outside',
  ])('cannot write to %s', async (name) => {
    const archive = archiveOf(await manifestWith({}), [name])
    expect(unpackBackup(archive, folder)).rejects.toThrow('does not belong')
    expect(await readdir(dir, { recursive: true })).toHaveLength(1)
  })

  test.each([
    'postgres/data/postgresql.auto.conf',
    'postgres/data/recovery.signal',
    'postgres/data/standby.signal',
    'postgres/data/x.so',
    'postgres/other',
  ])('cannot bring %s, which Postgres would obey', async (name) => {
    const archive = archiveOf(await manifestWith({}), [name])
    expect(unpackBackup(archive, folder)).rejects.toThrow('does not belong')
    expect(await readdir(dir, { recursive: true })).toHaveLength(1)
  })

  test('must begin with a manifest', async () => {
    expect(unpackBackup(archiveOf(null, ['secret-key']), folder)).rejects.toThrow('manifest')
    expect(await readdir(folder)).toEqual([])
  })

  test.each([{}, { format: 1 }, { format: '1', holds: [] }])(
    'needs a manifest that says what it must: %j',
    async (manifest) => {
      expect(unpackBackup(archiveOf(manifest, []), folder)).rejects.toThrow('manifest cannot be read')
    },
  )

  test('of a newer format is left to the version that wrote it', async () => {
    const archive = archiveOf(await manifestWith({ format: 3, playshelf: '9.8.7' }), ['secret-key'])
    expect(unpackBackup(archive, folder)).rejects.toThrow('Playshelf 9.8.7 in a newer format')
    expect(await readdir(folder)).toEqual([])
  })

  test('of another Postgres is refused', async () => {
    const archive = archiveOf(await manifestWith({ postgres: 12 }), ['secret-key'])
    expect(unpackBackup(archive, folder)).rejects.toThrow('Postgres 12')
    expect(await readdir(folder)).toEqual([])
  })

  test('without a database is not a backup', async () => {
    const archive = archiveOf(await manifestWith({}), ['secret-key'])
    expect(unpackBackup(archive, folder)).rejects.toThrow('lacks postgres/password')
  })
})
