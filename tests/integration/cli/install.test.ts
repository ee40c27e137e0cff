import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { oauthAccessTokens } from '../../../src/db/schema/oauth.ts'
import { STABLE } from '../../../src/domain/builds/channels.ts'
import type { InstallBuilds } from '../../../src/features/catalog/installs/model.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { ARCHIVERS, packWith } from '../../helpers/engines/archivers.ts'
import { packContents, randomBytes } from '../../helpers/files/packed-zip.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { scanZip } from '../../helpers/scans.ts'
import type { TestServer } from '../../helpers/server.ts'
import { answerAuthorization } from '../../helpers/sign-in/oauth.ts'
import { useStore } from '../../helpers/store.ts'
import { describeEachStorage } from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'

const KIB = 1024
const MIB = 1024 ** 2
const SYSTEM = ['--os', 'linux', '--arch', 'x86_64']
const PLATFORM = [...SYSTEM, '--json']

/** What the developers of these tests do. */
function createDevelopers(server: () => TestServer, owner: () => Person) {
  return {
    publish: (values: Parameters<typeof insertPublicGame>[2] = {}) =>
      insertPublicGame(server(), owner(), values),
    async release(
      game: GameRow,
      version: string,
      contents: Record<string, Uint8Array> | Buffer,
      channel: string = STABLE,
    ) {
      const build = await insertBuild(server(), game.uid, { version, channel })
      const zip = Buffer.isBuffer(contents) ? contents : await packContents(contents)
      const file = await scanZip(server(), build, zip)
      expect(file.scan).toBe('clean')
      return file
    },
  }
}

describeEachStorage('shelf get', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ROLE: 'all', ...env() }))
  let owner: Person
  let player: PlayerMachine
  const { publish, release } = createDevelopers(
    () => server,
    () => owner,
  )
  beforeAll(async () => {
    owner = await signUp(server)
    player = await createPlayerMachine(server.url)
  })
  afterAll(async () => {
    await player.remove()
  })

  test('installs without an account, and updates by what changed', async () => {
    const game = await publish({ anonymousDownloads: true })
    const data = randomBytes(10 * MIB)
    const first = { 'data.pck': data, 'old-name.bin': randomBytes(2 * MIB), readme: Buffer.from('1') }
    await release(game, '1.0.0', first)
    const folder = join(player.home, 'game')
    requireDone(await player.shelf(['get', game.vanityName, '--into', folder, ...PLATFORM]))
    expect(await player.read(folder)).toEqual(first)

    // A hundredth of the large file is new, 1 KB is put in front of it, another file has a new name.
    const next = {
      'data.pck': Buffer.concat([
        randomBytes(1024),
        data.subarray(0, 5 * MIB),
        randomBytes(100_000),
        data.subarray(5 * MIB + 100_000),
      ]),
      'new-name.bin': first['old-name.bin'],
      readme: Buffer.from('2'),
    }
    const { size } = await release(game, '1.1.0', next)
    const { updates } = requireDone(await player.shelf(['update', '--json'])) as {
      updates: { fetched_bytes: number; copied_bytes: number; version: string }[]
    }
    expect(updates).toMatchObject([{ version: '1.1.0' }])
    // A busy object store may break off a request; what is asked for again counts again.
    expect(updates[0]?.fetched_bytes).toBeLessThan(size / 4)
    expect(await player.read(folder)).toEqual(next)
    expect((await player.shelf(['verify', game.vanityName])).code).toBe(0)
    expect((await player.shelf(['remove', folder, '--yes'])).code).toBe(0)
    expect(await stat(folder).catch(() => null)).toBeNull()
  })

  test('notices that a file was replaced while it is fetched, and installs it once it is right again', async () => {
    const game = await publish({ anonymousDownloads: true })
    const contents = { 'data.pck': randomBytes(6 * MIB) }
    const zip = await packContents(contents)
    const other = randomBytes(zip.length)
    const { objectKey } = await release(game, '1.0.0', zip)
    const folder = join(player.home, 'replaced')
    const args = ['get', game.uid, '--into', folder, ...PLATFORM]
    const child = player.start([...args, '--limit-rate', '1MB'])
    await waitFor('the first bytes are written', async () => {
      const names = await readdir(join(folder, '.shelf/next/files')).catch(() => [])
      return names.length > 0
    })
    await server.deps.objects.put(objectKey, other)
    const [out, code] = await Promise.all([child.stdout.text(), child.exited])
    expect([code, JSON.parse(out).error.message]).toEqual([
      8,
      expect.stringMatching(/was replaced on the server|sends other bytes/),
    ])
    expect(await player.read(folder)).toEqual({})
    await server.deps.objects.put(objectKey, zip)
    requireDone(await player.shelf(args))
    expect(await player.read(folder)).toEqual(contents)
  })
})

describe('a player', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let owner: Person
  let person: Person
  let player: PlayerMachine
  const { publish, release } = createDevelopers(
    () => server,
    () => owner,
  )
  beforeAll(async () => {
    owner = await signUp(server)
    person = await signUp(server)
    player = await createPlayerMachine(server.url)
  })
  afterAll(async () => {
    await player.remove()
  })
  const credentials = () => join(player.home, '.config/shelf/credentials.json')

  test('signs in by the browser and gets what they own, also after the token has expired', async () => {
    const game = await publish({ anonymousDownloads: false })
    await release(game, '1.0.0', { a: Buffer.from('a') })
    const refused = await player.shelf(['get', game.vanityName, ...PLATFORM])
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('shelf signin')])

    const child = player.start(['signin', '--no-browser'])
    let notes = ''
    const reading = (async () => {
      for await (const bytes of child.stderr) notes += new TextDecoder().decode(bytes)
    })()
    const address = await waitFor(
      'the address is printed',
      async () => /http\S+authorize\S+/.exec(notes)?.[0] ?? false,
    )
    const { pathname, search, searchParams } = new URL(address)
    const code = await answerAuthorization(server, person, pathname + search)
    const state = searchParams.get('state') ?? ''
    const callback = new URL(searchParams.get('redirect_uri') ?? '')
    const forged = new URL(callback)
    forged.search = new URLSearchParams({ code: 'x', state: 'forged' }).toString()
    expect((await fetch(forged)).status).toBe(404)
    callback.search = new URLSearchParams({ code, state }).toString()
    expect(await (await fetch(callback)).text()).toContain('You are signed in')
    await reading
    expect([await child.exited, notes]).toEqual([0, expect.any(String)])
    expect((await stat(credentials())).mode & 0o777).toBe(0o600)

    // Free games are claimed on the way.
    const result = await player.shelf(['get', game.vanityName, ...PLATFORM])
    requireDone(result)
    const { players } = await Bun.file(credentials()).json()
    await server.deps.db.delete(oauthAccessTokens).where(eq(oauthAccessTokens.userId, person.uid))
    expect((await player.shelf(['update', '--check', game.vanityName])).code).toBe(0)
    const renewed = (await Bun.file(credentials()).json()).players
    expect(renewed[0].token).not.toBe(players[0].token)
    for (const { out, err } of [result, refused]) expect(out + err).not.toContain(players[0].token)

    expect((await player.shelf(['signout'])).code).toBe(0)
    expect(await stat(credentials()).catch(() => null)).toBeNull()
  })

  test('signs in with a key, kept or in the environment; paid games are to be bought', async () => {
    const created = await person.json('POST', '/api/v1/private/player-keys', {
      label: 'launcher',
      scopes: ['player:install'],
    })
    const { key } = await readData<{ key: string }>(created)
    const free = await publish({ anonymousDownloads: false })
    await release(free, '1.0.0', { a: Buffer.from('a') })
    const into = (name: string) => ['--into', join(player.home, name)]
    requireDone(
      await player.shelf(['get', free.uid, ...into('by-env'), ...PLATFORM], { SHELF_PLAYER_KEY: key }),
    )
    expect((await player.shelf(['signin', '--key-stdin'], {}, `${key}\n`)).code).toBe(0)
    const page = `${server.url}/games/${free.vanityName}`
    requireDone(await player.shelf(['get', page, ...into('by-key'), ...PLATFORM], { SHELF_SERVER: '' }))
    expect((await player.shelf(['signin', '--key-stdin'], {}, 'svc_play_wrong\n')).code).toBe(3)

    const paid = await publish({ priceCents: 999 })
    await release(paid, '1.0.0', { a: Buffer.from('a') })
    const { code, out } = await player.shelf(['get', paid.vanityName, ...into('paid'), ...PLATFORM])
    expect([code, JSON.parse(out).error]).toEqual([
      4,
      expect.objectContaining({ code: 4023, hint: expect.stringContaining(`/games/${paid.vanityName},`) }),
    ])
    const other = await player.shelf(['get', free.vanityName, '--os', 'windows', ...into('w')])
    expect([other.code, other.err]).toEqual([4, expect.stringContaining('There is: linux x86_64')])
  })

  test('follows the channel that they chose, and changes it with --channel', async () => {
    const created = await owner.json('POST', '/api/v1/private/player-keys', {
      label: 'tester',
      scopes: ['player:install'],
    })
    const { key } = await readData<{ key: string }>(created)
    const game = await publish({ anonymousDownloads: true })
    await release(game, '1.0.0', { readme: Buffer.from('stable') })
    await release(game, '2.0.0', { readme: Buffer.from('beta 1') }, 'beta')
    const folder = join(player.home, 'followed')
    const shelf = async (...args: string[]) =>
      requireDone(await player.shelf([...args, '--json'], { SHELF_PLAYER_KEY: key }))
    const text = async () => Buffer.from((await player.read(folder))['readme'] ?? '').toString()
    await shelf('get', game.vanityName, '--into', folder, '--channel', 'beta', ...SYSTEM)
    expect(await text()).toBe('beta 1')
    await release(game, '2.1.0', { readme: Buffer.from('beta 2') }, 'beta')
    await shelf('update', folder)
    expect(await text()).toBe('beta 2')
    expect(await shelf('update', folder, '--channel', 'stable')).toMatchObject({
      updates: [{ version: '1.0.0' }],
    })
    await release(game, '1.0.1', { readme: Buffer.from('stable 2') })
    await shelf('update', folder)
    expect(await text()).toBe('stable 2')
    const refused = await player.shelf([
      'get',
      game.vanityName,
      '--into',
      `${folder}-2`,
      '--channel',
      'nightly',
    ])
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('a private channel needs')])
  })

  test.each(ARCHIVERS)('installs a zip of %s, and updates it by whole files', async (archiver) => {
    const game = await publish({ anonymousDownloads: true })
    const [data, level] = [
      Buffer.concat([randomBytes(6 * MIB), Buffer.alloc(6 * MIB)]),
      randomBytes(300 * KIB),
    ]
    const first = {
      'data/large.pck': data,
      'data/level.bin': level,
      readme: Buffer.from('one '.repeat(99)),
    }
    await release(game, '1.0.0', await packWith(archiver, first))
    const listed = await fetch(`${server.url}/api/v1/player/games/${game.uid}/builds`)
    const { builds } = await readData<InstallBuilds>(listed)
    expect(builds[0]?.files).toMatchObject([{ blocks: false, installed_size: 12 * MIB + 300 * KIB + 396 }])

    const folder = join(player.home, archiver)
    requireDone(await player.shelf(['get', game.uid, '--into', folder, ...PLATFORM]))
    expect(await player.read(folder)).toEqual(first)

    const update = async (next: Record<string, Buffer>, version: string) => {
      await release(game, version, await packWith(archiver, next))
      const { updates } = requireDone(await player.shelf(['update', folder, '--json'])) as {
        updates: { fetched_bytes: number }[]
      }
      expect(await player.read(folder)).toEqual(next)
      return updates[0]?.fetched_bytes ?? Infinity
    }
    const renamed = { 'large.pck': data, 'data/level.bin': level, readme: Buffer.from('two '.repeat(99)) }
    expect(await update(renamed, '1.1.0')).toBeLessThan(KIB)
    const changed = { ...renamed, 'large.pck': Buffer.concat([Buffer.from('new'), data]) }
    expect(await update(changed, '1.2.0')).toBeWithin(6 * MIB, 6.2 * MIB)
    expect((await player.shelf(['verify', folder])).code).toBe(0)
  })
})
