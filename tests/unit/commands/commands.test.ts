import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unpackBackup } from '../../../src/commands/backup-archive.ts'
import { createManifest, type Manifest } from '../../../src/commands/backup-manifest.ts'
import { describeProgress } from '../../../src/commands/context.ts'
import { checkPlayOrigins, type Network } from '../../../src/commands/doctor.ts'
import { packTar, type TarInput } from '../../../src/lib/bytes/tar.ts'
import { formatDuration } from '../../../src/lib/text/show.ts'

describe('backup archive', () => {
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
})

const PATTERN = 'https://*.play.example.net'
const OURS = new Response(null, {
  status: 404,
  headers: { 'cross-origin-resource-policy': 'cross-origin' },
})

const network = (over: Partial<Network> = {}): Network => ({
  lookUp: async () => {},
  request: async () => OURS,
  ...over,
})

const failing = (code: string) => async () => {
  throw Object.assign(new Error('it failed'), { code })
}

describe('the check of the play origins', () => {
  test('passes where a game that does not exist is answered by us', async () => {
    const asked: string[] = []
    const request = async (url: string) => {
      asked.push(url)
      return OURS
    }
    expect(await checkPlayOrigins(PATTERN, network({ request }))).toEqual({
      ok: true,
      text: `${PATTERN}, answers there`,
    })
    expect(asked[0]).toMatch(/^https:\/\/[0-9a-f-]{36}\.play\.example\.net\/$/)
  })

  test('does not wait for a name server that never answers', async () => {
    const lookUp = () => new Promise<never>(() => {})
    const found = await checkPlayOrigins(PATTERN, network({ lookUp }), 5)
    expect([found.ok, found.text.includes('name server did not answer')]).toEqual([false, true])
  })

  test.each([
    [
      'a name that does not resolve',
      { lookUp: failing('ENOTFOUND') },
      'Add a DNS record for *.play.example.net',
    ],
    [
      'a certificate of another name',
      { request: failing('ERR_TLS_CERT_ALTNAME_INVALID') },
      'one for the wildcard',
    ],
    ['a certificate of nobody', { request: failing('DEPTH_ZERO_SELF_SIGNED_CERT') }, 'one for the wildcard'],
    ['another program', { request: async () => new Response('hello') }, 'answered by another program'],
  ])('fails for %s', async (_, over: Partial<Network>, text) => {
    const found = await checkPlayOrigins(PATTERN, network(over))
    expect([found.ok, found.text.includes(text)]).toEqual([false, true])
  })

  test('warns where nothing answers yet, and where no origin is set', async () => {
    const silent = await checkPlayOrigins(PATTERN, network({ request: failing('ConnectionRefused') }))
    expect(silent).toMatchObject({ ok: true, warning: true })
    expect(await checkPlayOrigins(null)).toMatchObject({ ok: true, warning: true })
  })

  test('asks nobody about names that browsers resolve by themselves', async () => {
    const found = await checkPlayOrigins('http://*.localhost:8080', network({ lookUp: failing('ENOTFOUND') }))
    expect(found).toMatchObject({ ok: true })
    expect(found.warning).toBeUndefined()
  })
})

test('progress names the share, the speed and the time left', () => {
  expect(describeProgress({ done: 412_000, total: 1_000_000 }, 400_000, 80_000)).toBe(
    '412,000 of 1,000,000 listings (41 %), 5,000 per second, about 2 minutes left',
  )
})

test('at the start only the share is known, at the end nothing is left', () => {
  expect(describeProgress({ done: 300, total: 900 }, 0, 0)).toBe('300 of 900 listings (33 %)')
  expect(describeProgress({ done: 900, total: 900 }, 600, 2000)).toBe(
    '900 of 900 listings (100 %), 300 per second',
  )
  expect(describeProgress({ done: 0, total: 0 }, 0, 10)).toBe('0 of 0 listings (100 %)')
})

test.each([
  [0.2, '1 second'],
  [59.1, '60 seconds'],
  [90, '2 minutes'],
  [3600, '60 minutes'],
  [5400, '2 hours'],
])('%p seconds are %p', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
