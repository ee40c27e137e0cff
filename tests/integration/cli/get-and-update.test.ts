import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

import { encodeContents } from '../../../src/lib/zip/contents.ts'
import { type InstallStore, startInstallStore } from '../../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { randomBytes } from '../../helpers/files/packed-zip.ts'
import { waitFor } from '../../helpers/wait.ts'

const KB = 1024
const MIB = 1024 ** 2
/** Of updates that are killed. */
const RATE_MB = 3
const GAME = {
  'bin/game': Buffer.from('#!/bin/sh\necho "running $1 $SHELF_PLAYER_KEY"; exit 7\n'),
  'data.pck': randomBytes(4 * MIB),
  'text.txt': Buffer.from('hello '.repeat(100)),
  empty: Buffer.alloc(0),
}

let store: InstallStore
let player: PlayerMachine
let folder: string
beforeEach(async () => {
  store = await startInstallStore()
  player = await createPlayerMachine(store.url)
  folder = join(player.home, 'Games/moss-garden')
})
afterEach(async () => {
  await store.stop()
  await player.remove()
})

const get = (...more: string[]) => player.shelf(['get', 'moss-garden', '--json', ...more])
const update = (...more: string[]) => player.shelf(['update', '--json', ...more])
const expectInstalled = async (contents: Record<string, Uint8Array>) => {
  const files = await player.read(folder)
  expect(Object.keys(files).sort()).toEqual(Object.keys(contents).sort())
  for (const [name, bytes] of Object.entries(contents))
    expect([name, Buffer.compare(files[name] ?? Buffer.alloc(0), bytes)]).toEqual([name, 0])
}

describe('a game', () => {
  test('is installed, listed, checked, started and removed', async () => {
    const build = await store.offer(GAME)
    build.launch = { path: 'bin/game', args: ['first'] }
    const result = requireDone(await get())
    expect(result).toMatchObject({ game: 'moss-garden', folder, version: '1.0.0', files_written: 4 })
    expect(result.fetched_bytes).toBeWithin(4 * MIB, build.zip.length + 1)
    await expectInstalled(GAME)
    expect((await readdir(join(folder, '.shelf'))).sort()).toEqual([
      'contents',
      'install.json',
      'lock',
      'running',
    ])
    expect(store.reasons).toEqual(['install'])

    const { installed } = requireDone(await player.shelf(['list', '--json'])) as { installed: object[] }
    expect(installed).toMatchObject([{ game: 'moss-garden', version: '1.0.0', newer: null, folder }])
    expect((await player.shelf(['verify', 'moss-garden'])).out).toContain('4 files checked')
    await chmod(join(folder, 'bin/game'), 0o755)
    const started = await player.shelf(['run', 'moss-garden', '--', 'x'], {
      SHELF_PLAYER_KEY: 'svc_play_secret',
    })
    expect([started.code, started.out]).toEqual([7, 'running first \n'])

    await Bun.write(join(folder, 'saves/one'), 'mine')
    const refused = await player.shelf(['remove', 'moss-garden'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--keep-extra')])
    expect(refused.err).toContain('1 file that was not installed.')
    expect((await player.shelf(['remove', 'moss-garden', '--keep-extra'])).code).toBe(0)
    expect(Object.keys(await player.read(folder))).toEqual(['saves/one'])
    expect((await player.shelf(['list'])).out).toBe('Nothing is installed.\n')
  })

  test('is updated by what changed: the blocks around a change, nothing for a new name', async () => {
    await store.offer(GAME)
    requireDone(await get())
    const data = GAME['data.pck']
    const changed = Buffer.concat([
      Buffer.from('inserted'),
      data.subarray(0, 2 * MIB),
      data.subarray(2 * MIB + 9),
    ])
    const next = {
      'bin/game': GAME['bin/game'],
      'data/new.pck': changed,
      'renamed.txt': GAME['text.txt'],
      empty: GAME.empty,
    }
    const build = await store.offer(next, '1.1.0')
    const check = await update('--check')
    expect(check.code).toBe(9)
    expect(JSON.parse(check.out).newer).toMatchObject([{ installed: '1.0.0', newer: '1.1.0' }])
    store.sent = 0
    const { updates } = requireDone(await update()) as { updates: { fetched_bytes: number }[] }
    expect(updates[0]?.fetched_bytes).toBeLessThan(build.zip.length / 5)
    expect(store.sent).toBeLessThan(build.zip.length / 5)
    await expectInstalled(next)
    expect(store.reasons).toEqual(['install', 'update'])
    expect((await update('--check')).code).toBe(0)
  })

  test('keeps what the player changed and added', async () => {
    await store.offer({ ...GAME, 'a.cfg': Buffer.from('a1'), 'b.cfg': Buffer.from('b1') })
    requireDone(await get())
    await Bun.write(join(folder, 'a.cfg'), 'my a')
    await Bun.write(join(folder, 'b.cfg'), 'my b')
    await Bun.write(join(folder, 'saves/1'), 'save')
    await store.offer({ ...GAME, 'a.cfg': Buffer.from('a2'), 'b.cfg': Buffer.from('b1') }, '2')
    const updated = await update()
    expect(requireDone(updated)).toMatchObject({ updates: [{ mine: ['a.cfg.mine'] }] })
    expect(updated.err).toContain('a.cfg.mine')
    await expectInstalled({
      ...GAME,
      'a.cfg': Buffer.from('a2'),
      'a.cfg.mine': Buffer.from('my a'),
      'b.cfg': Buffer.from('my b'),
      'saves/1': Buffer.from('save'),
    })
  })

  test('that is broken is told of with 8, and repaired by the bytes that are wrong', async () => {
    await store.offer(GAME)
    requireDone(await get())
    const data = Buffer.from(GAME['data.pck'])
    data[2 * MIB] = (data[2 * MIB] ?? 0) ^ 1
    await Bun.write(join(folder, 'data.pck'), data)
    await rename(join(folder, 'text.txt'), join(folder, 'moved.txt'))
    // A disk that fails changes neither size nor time.
    const program = join(folder, 'bin/game')
    const script =
      'touch -r "$0" "$0.time"; printf X | dd of="$0" conv=notrunc; touch -r "$0.time" "$0"; rm "$0.time"'
    await Bun.spawn(['sh', '-c', script, program], { stderr: 'ignore' }).exited
    const told = await player.shelf(['verify', 'moss-garden'])
    expect(told.code).toBe(8)
    expect(told.err).toContain('data.pck: changed')
    expect(told.err).toContain('bin/game: broken')
    expect(told.err).toContain('text.txt: missing')
    store.sent = 0
    requireDone(await player.shelf(['verify', 'moss-garden', '--repair', '--json']))
    expect(store.sent).toBeLessThan(MIB)
    await expectInstalled({ ...GAME, 'data.pck.mine': data, 'moved.txt': GAME['text.txt'] })
    expect((await player.shelf(['verify', 'moss-garden'])).code).toBe(0)
  })

  test('whose contents are not recorded is fetched whole', async () => {
    const build = await store.offer(GAME)
    store.onContents = () =>
      Response.json({ success: false, error: { code: 5031, message: 'Not yet.' } }, { status: 503 })
    requireDone(await get())
    await expectInstalled(GAME)
    expect(store.sent).toBe(build.zip.length)
  })

  test('is fetched no faster than asked', async () => {
    const build = await store.offer({ a: randomBytes(600 * KB) })
    const begin = performance.now()
    requireDone(await get('--limit-rate', '400KB'))
    expect(performance.now() - begin).toBeGreaterThan((build.zip.length / (400 * KB)) * 1000 * 0.9)
  })
})

describe('bytes', () => {
  test('that are wrong once are fetched again; always wrong, they are refused and nothing changes', async () => {
    await store.offer(GAME)
    let isFirst = true
    const flip = (bytes: Uint8Array) => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1)
    store.onRange = (_, bytes) => {
      if (!isFirst || bytes.length < MIB) return bytes
      isFirst = false
      return flip(bytes)
    }
    requireDone(await get())
    await expectInstalled(GAME)
    await store.offer({ ...GAME, 'data.pck': randomBytes(MIB) }, '2')
    store.onRange = (_, bytes) => flip(bytes)
    const { code, out } = await update()
    expect(code).toBe(8)
    expect(JSON.parse(out).error.message).toContain('other bytes')
    await expectInstalled(GAME)
  })

  test('of a link that expired are asked for with a new one, which is not counted again', async () => {
    await store.offer({ a: randomBytes(20 * MIB) })
    let requests = 0
    store.onRange = (_, bytes) => {
      requests += 1
      if (requests === 2) store.generation += 1
      return bytes
    }
    requireDone(await get())
    expect(store.reasons[0]).toBe('install')
    expect(new Set(store.reasons.slice(1))).toEqual(new Set(['continue']))
  })

  test('of a file that was replaced on the server are noticed', async () => {
    const build = await store.offer({ a: randomBytes(20 * MIB) })
    store.onRange = (_, bytes) => {
      store.onRange = null
      build.zip = randomBytes(build.zip.length)
      store.etag = '"2"'
      return bytes
    }
    const replaced = await get()
    expect([replaced.code, JSON.parse(replaced.out).error.message]).toEqual([
      8,
      expect.stringContaining('other bytes'),
    ])
    expect(await player.read(folder)).toEqual({})
    store.onRange = (_, bytes) => new Response(bytes)
    const whole = await get()
    expect([whole.code, JSON.parse(whole.out).error.message]).toEqual([
      8,
      expect.stringContaining('replaced'),
    ])
  })

  test('with another ETag are of another file, where the server does not know If-Range too', async () => {
    await store.offer({ a: randomBytes(20 * MIB) })
    let requests = 0
    store.onRange = (_, bytes) => {
      requests += 1
      if (requests === 6) store.etag = '"2"'
      return bytes
    }
    requireDone(await get())
    // The link is not trusted any more, although the server says 206.
    expect(store.reasons.length).toBeGreaterThan(1)
    expect(store.reasons.slice(0, 2)).toEqual(['install', 'continue'])
  })

  test('go on when the server comes back', async () => {
    await store.offer({ a: randomBytes(20 * MIB) })
    let isDown = true
    store.onRange = (_, bytes) => {
      if (!isDown) return bytes
      isDown = false
      return new Response('gone', { status: 502 })
    }
    requireDone(await get())
  })

  test('are not fetched again after kills at random moments, and the game is whole each time', async () => {
    const [one, two] = [randomBytes(6 * MIB), randomBytes(6 * MIB)]
    const first = { a: one, b: Buffer.from('1') }
    await store.offer(first)
    requireDone(await get())
    const second = { a: two, b: Buffer.from('2'), c: Buffer.from('new') }
    const build = await store.offer(second, '2')
    store.sent = 0
    let kills = 0
    let isCounted = false
    for (let isDone = false; !isDone;) {
      const [reasons, ranges] = [store.reasons.length, store.ranges.length]
      const child = player.start(['update', '--json', '--limit-rate', `${RATE_MB}MB`])
      if (kills < 12) {
        await Bun.sleep(150 + Math.random() * 500)
        child.kill('SIGKILL')
        kills += 1
      }
      isDone = (await child.exited) === 0
      // A command that got to its first bytes is counted; one that was killed before may be or not.
      if (isCounted) expect(store.reasons.slice(reasons)).not.toContain('update')
      isCounted ||= store.ranges.length > ranges
      if (isDone) break
      // Offline, and before anything else, an interrupted switch is finished.
      requireDone(
        await player.shelf(['verify', 'moss-garden', '--json'], { SHELF_SERVER: 'http://127.0.0.1:1' }),
      )
      const { b } = await player.read(folder)
      await expectInstalled(b?.toString() === '1' ? first : second)
    }
    await expectInstalled(second)
    expect(kills).toBeGreaterThan(3)
    expect(store.reasons.slice(0, 2)).toEqual(['install', 'update'])
    // A kill costs what is under way: a request of a quarter of a second on each of the connections.
    expect(store.sent).toBeLessThan(build.zip.length * 1.05 + kills * (RATE_MB / 4) * MIB)
  })
})

describe('two commands in one folder', () => {
  test('take turns', async () => {
    await store.offer({ a: randomBytes(2 * MIB) })
    const isWaiting = Promise.withResolvers<void>()
    store.onRange = async (_, bytes) => {
      await isWaiting.promise
      return bytes
    }
    const first = player.start(['get', 'moss-garden'])
    await waitFor('the first has begun', async () => store.ranges.length > 0)
    const second = player.start(['get', 'moss-garden', '--json'])
    let err = ''
    const reading = (async () => {
      for await (const bytes of second.stderr) err += new TextDecoder().decode(bytes)
    })()
    await waitFor('the second waits', () => err.includes('Another command works in'))
    isWaiting.resolve()
    const [out, code] = await Promise.all([second.stdout.text(), second.exited, reading])
    expect(requireDone({ code, out, err })).toMatchObject({ fetched_bytes: 0 })
    expect(await first.exited).toBe(0)
  })

  test('a game that runs is not changed under its feet', async () => {
    const wait = Buffer.from('#!/bin/sh\ntouch started; while [ ! -e stop ]; do sleep 0.05; done\n')
    const build = await store.offer({ game: wait })
    build.launch = { path: 'game' }
    requireDone(await get())
    await chmod(join(folder, 'game'), 0o755)
    const running = player.start(['run', 'moss-garden'])
    await waitFor('the game has begun', () => Bun.file(join(folder, 'started')).exists())
    const next = await store.offer({ game: wait, more: randomBytes(MIB) }, '2')
    next.launch = { path: 'game' }
    const refused = await update()
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('Moss Garden is running.')])
    await Bun.write(join(folder, 'stop'), '')
    expect(await running.exited).toBe(0)
    store.sent = 0
    expect(requireDone(await update())).toMatchObject({ updates: [{ version: '2' }] })
    expect(store.sent).toBe(0)
  })
})

describe('folders', () => {
  test('of others and of another game are refused', async () => {
    await store.offer(GAME)
    await Bun.write(join(folder, 'letter.txt'), 'mine')
    expect((await get()).code).toBe(7)
    const other = join(player.home, 'other')
    requireDone(await get('--into', other))
    store.game = { ...store.game, uid: crypto.randomUUID(), name: 'Another' }
    const refused = await get('--into', other)
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('holds Moss Garden')])
  })
})

describe('a hostile store', () => {
  async function expectRefused(code: number, message: string | RegExp) {
    const { code: ended, out, err } = await get()
    expect([ended, out + err]).toEqual([code, expect.stringMatching(message)])
    expect(await player.read(folder).catch(() => ({}))).toEqual({})
    expect(out + err).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
    expect((await readdir(join(player.home, '..'))).sort()).toEqual(['home'])
  }

  async function describe(change: (entries: InstallStore['build'] & object) => Promise<void> | void) {
    const build = await store.offer({ a: randomBytes(64 * KB), b: Buffer.alloc(64 * KB, 'x') })
    await change(build)
    return build
  }

  test.each(['../../outside', '/outside', '.shelf/install.json', 'a\u001B[2J', 'con', 'a:b'])(
    'cannot write to %j',
    async (path) => {
      await describe(async (build) => {
        const entries = build.entries.map((entry, index) => (index === 0 ? { ...entry, path } : entry))
        build.document = (await encodeContents(entries, build.zip.length))?.document ?? Buffer.alloc(0)
      })
      await expectRefused(7, 'cannot hold these files')
      expect(store.sent).toBe(0)
    },
  )

  test('cannot write more than it announced', async () => {
    const build = await describe(() => undefined)
    const lies = build.entries.map((entry) => ({ ...entry, size: 100, blocks: null }))
    build.document = (await encodeContents(lies, build.zip.length))?.document ?? Buffer.alloc(0)
    await expectRefused(8, /not as large as the store announced|wrong at/)
    build.installedSize = null
    const shorter = build.entries.map((entry) =>
      entry.method === 8 ? { ...entry, size: 100, blocks: null } : entry,
    )
    build.document = (await encodeContents(shorter, build.zip.length))?.document ?? Buffer.alloc(0)
    await expectRefused(8, 'other bytes')
  })

  test('cannot fill the disk by what it announces', async () => {
    const build = await describe(() => undefined)
    const huge = build.entries.map((entry) => ({ ...entry, method: 8, size: 2 ** 50, blocks: null }))
    build.installedSize = null
    build.document = (await encodeContents(huge, build.zip.length))?.document ?? Buffer.alloc(0)
    await expectRefused(1, 'no room')
    expect(store.sent).toBe(0)
  })

  test('with a million entries, or with contents that are none, is refused', async () => {
    const build = await describe(() => undefined)
    // LEB128 of 1,000,000.
    build.document = deflateSync(Buffer.concat([Buffer.from([0xc0, 0x84, 0x3d]), Buffer.alloc(2000)]))
    await expectRefused(8, 'too many entries')
    build.document = randomBytes(1000)
    await expectRefused(8, 'cannot be unpacked')
  })

  test('cannot choose a folder by its names, nor steer the terminal', async () => {
    await store.offer(GAME)
    store.game = { ...store.game, vanity_name: '../../outside' }
    await expectRefused(2, 'cannot be the name of a folder')
    store.game = { ...store.game, vanity_name: 'moss-garden', name: 'A\u001B]0;owned\u0007\u202E' }
    const { out } = await player.shelf(['get', 'moss-garden'])
    expect(out).toContain('owned')
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
  })
})

test('a key of the environment is sent to its own server alone, and never with a link', async () => {
  await store.offer(GAME)
  const get = (SHELF_SERVER: string) =>
    player.shelf(['get', `${store.url}/games/moss-garden`, '--json'], {
      SHELF_PLAYER_KEY: 'svc_play_secret',
      SHELF_SERVER,
    })
  requireDone(await get('https://other.example'))
  expect([...store.authorizations]).toEqual([null])
  expect((await get('')).code).toBe(2)
  await store.offer({ a: Buffer.from('a') }, '2')
  store.authorizations.clear()
  requireDone(await get(store.url))
  expect([...store.authorizations]).toEqual(['Bearer svc_play_secret', null])
  await store.offer({ a: Buffer.from('b') }, '3')
  store.authorizations.clear()
  const flag = (server: string, SHELF_SERVER = '') =>
    player.shelf(['get', 'moss-garden', '--server', server, '--json'], {
      SHELF_PLAYER_KEY: 'svc_play_secret',
      SHELF_SERVER,
    })
  requireDone(await flag(`${store.url}/`))
  expect([...store.authorizations]).toEqual(['Bearer svc_play_secret', null])
  store.authorizations.clear()
  const other = await flag(store.url, 'https://other.example')
  expect([...store.authorizations]).toEqual([null])
  expect(other.err).toContain('SHELF_PLAYER_KEY is for https://other.example')
})

test('a short command does not wait longer than half a minute for the store', async () => {
  await store.offer(GAME)
  requireDone(await get())
  const { url } = store
  await store.stop()
  const busy = Bun.serve({
    hostname: '127.0.0.1',
    port: new URL(url).port,
    fetch: () => new Response('{}', { status: 503, headers: { 'retry-after': '40' } }),
  })
  try {
    for (const [args, code] of [
      [['update', '--check'], 5],
      [['list'], 0],
    ] as const) {
      const child = player.start([...args])
      let err = ''
      for await (const bytes of child.stderr) {
        err += new TextDecoder().decode(bytes)
        // Patient commands wait as long as the store asks.
        if (err.includes('Trying again')) child.kill()
      }
      expect([args, await child.exited, err]).toEqual([args, code, expect.stringContaining('Tried for')])
    }
  } finally {
    await busy.stop(true)
  }
})

test('without the network a game is still listed, started and checked', async () => {
  const build = await store.offer({ game: Buffer.from('#!/bin/sh\nexit 3\n') })
  build.launch = { path: 'game' }
  requireDone(await get())
  await chmod(join(folder, 'game'), 0o755)
  await store.stop()
  const { installed } = requireDone(await player.shelf(['list', '--json'])) as { installed: object[] }
  expect(installed).toMatchObject([{ game: 'moss-garden', newer: null }])
  expect((await player.shelf(['run', 'moss-garden'])).code).toBe(3)
  expect((await player.shelf(['verify', 'moss-garden'])).code).toBe(0)
})

test('a key is kept for its owner alone, sent as bearer, and forgotten', async () => {
  await store.offer(GAME)
  const signed = await player.shelf(['signin', '--key-stdin'], {}, 'svc_play_0123456789\n')
  // This store has no accounts.
  expect(signed.code).toBe(4)
  expect(signed.out + signed.err).not.toContain('svc_play_0123456789')
  expect((await player.shelf(['signout'])).out).toBe('There was nothing to forget.\n')
  expect(await stat(join(player.home, '.config/shelf/credentials.json')).catch(() => null)).toBeNull()
})
