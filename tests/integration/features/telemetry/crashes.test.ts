import { beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { builds, symbols } from '../../../../src/db/schema/builds.ts'
import { crashes, crashGroups } from '../../../../src/db/schema/telemetry.ts'
import { sweepOldCrashes } from '../../../../src/features/telemetry/crashes/service.ts'
import {
  queueSymbolication,
  symbolicateGroups,
} from '../../../../src/features/telemetry/crashes/symbolicate.ts'
import { symbolicateGame } from '../../../../src/features/telemetry/jobs.ts'
import { startRunner } from '../../../../src/jobs/runner.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { loadHandlers } from '../../../../src/worker/registry.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, postAsGame } from '../../../helpers/ingest.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
let build: BuildRow

async function startGame(): Promise<void> {
  game = await insertGame(server, owner)
  build = await insertBuild(server, game.uid)
}

describe('crashes', () => {
  interface Group {
    signature: string
    count: number
    devices: number
    first_seen_at: string
    last_seen_at: string
    versions: string[]
    crash_uid: string | null
    stack: unknown[]
  }

  const DAY = 24 * 60 * 60 * 1000
  const HOUR_AGO = Date.now() - 3_600_000
  const at = (seconds: number) => new Date(HOUR_AGO + seconds * 1000).toISOString()
  const frames = (...functions: string[]) =>
    functions.map((name, n) => ({ module: 'game', offset: n, function: name }))
  const send = (values: Record<string, unknown>, from = build) =>
    postAsGame(server, 'crashes', from, makeCrash(values))
  const crashPath = () => `/api/v1/private/games/${game.uid}/crashes`
  const readGroups = async (query = '') =>
    await readData<{ items: Group[]; total: number }>(await owner.fetch(crashPath() + query))

  async function report(values: Record<string, unknown>, from = build): Promise<string> {
    const answer = await send(values, from)
    expect(answer.status).toBe(202)
    return (await readData<{ crash_uid: string }>(answer)).crash_uid
  }

  describe('a crash report', () => {
    beforeAll(startGame)

    test('is accepted with 202 and kept as it came', async () => {
      const sent = {
        at: at(0),
        before_boot: false,
        signature: 'lamp',
        reason: 'EXCEPTION_ACCESS_VIOLATION',
        frames: [
          { module: 'game.exe', offset: 2 ** 40, function: 'lamp::turn' },
          { module: 'ntdll.dll', offset: 0 },
        ],
        client_version: '1.0.0-beta',
        os: 'Windows 11',
        arch: 'x86_64',
        log: 'last words\n'.repeat(3),
      }
      const crash_uid = await report(sent)
      expect(await readData(await owner.fetch(`${crashPath()}/${crash_uid}`))).toEqual({
        ...sent,
        crash_uid,
        build_id: build.uid,
        version: '1.0.0',
        device_id: 'device',
        session_id: 'session',
        received_at: expect.stringMatching(/Z$/),
      })
    })

    test.each([
      ['without frames', { frames: [] }],
      ['of 200 frames', { frames: Array.from({ length: 200 }, (_, offset) => ({ module: 'game', offset })) }],
      ['with a log of 512 KiB', { log: 'é'.repeat(256 * 1024) }],
      ['with a signature of 255 characters', { signature: 's'.repeat(255) }],
    ])('%s is taken', async (_, values) => {
      expect((await send(values)).status).toBe(202)
    })

    test('with a log of more than 512 KiB is 413/4130', async () => {
      const log = `${'é'.repeat(256 * 1024)}x`
      expect(await readFailure(await send({ log }))).toMatchObject({ status: 413, code: 4130 })
    })

    test.each([
      ['without a reason', { reason: undefined }],
      ['with an empty reason', { reason: '' }],
      ['without before_boot', { before_boot: undefined }],
      ['without frames', { frames: undefined }],
      ['without a device', { device_id: undefined }],
      ['without a time', { at: undefined }],
      ['with a time that is none', { at: 'now' }],
      [
        'with 201 frames',
        { frames: Array.from({ length: 201 }, (_, offset) => ({ module: 'game', offset })) },
      ],
      ['with an offset that is no integer', { frames: [{ module: 'game', offset: 1.5 }] }],
      ['with an offset in a text', { frames: [{ module: 'game', offset: '0x1000' }] }],
      ['with an offset below nothing', { frames: [{ module: 'game', offset: -1 }] }],
      ['with a frame without a module', { frames: [{ offset: 1 }] }],
      ['with an unknown field of a frame', { frames: [{ module: 'game', offset: 1, line: 2 }] }],
      ['with an empty signature', { signature: '' }],
      ['with a signature of 256 characters', { signature: 's'.repeat(256) }],
      ['with an unknown field', { colour: 'red' }],
    ])('%s is 400/4000', async (_, values) => {
      expect(await readFailure(await send(values))).toMatchObject({ status: 400, code: 4000 })
    })
  })

  describe('crashes', () => {
    beforeAll(startGame)

    test('of one signature are one group, counted with their devices, times and versions', async () => {
      const newer = await insertBuild(server, game.uid, { version: '1.1.0' })
      await report({ signature: 'lamp', device_id: 'a', at: at(20), frames: frames('old') })
      await report({ signature: 'lamp', device_id: 'a', at: at(10) })
      const newest = await report(
        { signature: 'lamp', device_id: 'b', at: at(30), frames: frames('new') },
        newer,
      )
      const last = await report({
        signature: 'lamp',
        device_id: 'b',
        at: at(25),
        frames: frames('old again'),
      })
      await report({ signature: 'star', at: at(40) })
      const { items, total } = await readGroups()
      expect(total).toBe(2)
      expect(items.map(({ signature }) => signature)).toEqual(['star', 'lamp'])
      const [, lamp] = items
      expect(lamp).toMatchObject({ count: 4, devices: 2, versions: ['1.1.0', '1.0.0'], crash_uid: last })
      expect([lamp?.first_seen_at, lamp?.last_seen_at].map((time) => Date.parse(time ?? ''))).toEqual(
        [at(10), at(30)].map((time) => expect.closeTo(Date.parse(time), -4)),
      )
      expect(lamp?.stack).toEqual([{ module: 'game', offset: 0, function: 'new', file: null, line: null }])
      expect(newest).not.toBe(last)
    })

    test('without a signature are grouped by reason and the top of the stack', async () => {
      await startGame()
      await report({ device_id: 'a', reason: 'SIGSEGV', frames: frames('turn', 'update', 'main', 'start_a') })
      await report({ device_id: 'b', reason: 'SIGSEGV', frames: frames('turn', 'update', 'main', 'start_b') })
      await report({ device_id: 'c', reason: 'SIGABRT', frames: frames('turn', 'update', 'main') })
      await report({
        device_id: 'd',
        frames: [
          { module: 'game', offset: 8000 },
          { module: 'libc', offset: 16 },
        ],
      })
      await report({ device_id: 'e', frames: frames('x'.repeat(300)) })
      await report({ device_id: 'f', frames: frames('x'.repeat(301)) })
      const { items } = await readGroups()
      const counts = new Map(items.map(({ signature, count }) => [signature, count]))
      expect(counts.get('SIGSEGV | game!turn | game!update | game!main')).toBe(2)
      expect(counts.get('SIGABRT | game!turn | game!update | game!main')).toBe(1)
      expect(counts.get('SIGSEGV | game+0x1f40 | libc+0x10')).toBe(1)
      expect(counts.size).toBe(5)
      for (const signature of counts.keys()) expect(signature.length).toBeLessThanOrEqual(255)
    })

    test('sent again, even at once, are counted once and get the same answer', async () => {
      await startGame()
      const values = { signature: 'lamp', at: at(0) }
      const answers = await Promise.all(Array.from({ length: 20 }, () => report(values)))
      expect(new Set([...answers, await report(values)]).size).toBe(1)
      expect((await readGroups()).items).toMatchObject([{ count: 1, devices: 1 }])
    })

    test('of many devices at once are all counted', async () => {
      await startGame()
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          report({ signature: 'lamp', device_id: `${n % 10}`, at: at(n) }),
        ),
      )
      expect((await readGroups()).items).toMatchObject([{ count: 30, devices: 10 }])
    })

    test('are told in pages', async () => {
      await startGame()
      for (let n = 0; n < 5; n += 1) await report({ signature: `kind ${n}`, at: at(n) })
      const { items, total } = await readGroups('?page=2&page_size=2')
      expect([total, ...items.map(({ signature }) => signature)]).toEqual([5, 'kind 2', 'kind 1'])
    })

    test('stay counted when their build is deleted', async () => {
      await startGame()
      await report({ signature: 'lamp' })
      await server.deps.db.delete(builds).where(eq(builds.uid, build.uid))
      expect((await readGroups()).items).toMatchObject([{ count: 1, versions: ['1.0.0'], crash_uid: null }])
    })
  })

  describe('old crashes', () => {
    const keptReports = async () => await server.deps.db.$count(crashes, eq(crashes.buildUid, build.uid))
    const forget = (days: number) => sweepOldCrashes(server.deps, new Date(Date.now() + days * DAY))

    test('of a kind are forgotten past the newest hundred, and after 30 days; the count stays', async () => {
      await startGame()
      const sent: string[] = []
      for (let n = 0; n < 103; n += 1) sent.push(await report({ signature: 'lamp', at: at(n) }))
      await forget(0)
      expect(await keptReports()).toBe(100)
      expect((await owner.fetch(`${crashPath()}/${sent[2]}`)).status).toBe(404)
      expect((await owner.fetch(`${crashPath()}/${sent[3]}`)).status).toBe(200)
      await forget(29)
      expect(await keptReports()).toBe(100)
      await forget(31)
      expect(await keptReports()).toBe(0)
      expect((await readGroups()).items).toMatchObject([{ count: 103, crash_uid: null }])
    })

    test('that nobody saw for 180 days are forgotten whole', async () => {
      await forget(181)
      expect(await server.deps.db.$count(crashGroups, eq(crashGroups.gameUid, game.uid))).toBe(0)
    })
  })

  describe('crashes are told', () => {
    beforeAll(startGame)

    test('to admins and to agents with mcp:crash.read', async () => {
      const crash_uid = await report({})
      const admin = await signUp(server)
      await insertAdmin(server, game.uid, admin, 'accepted')
      for (const path of [crashPath(), `${crashPath()}/${crash_uid}`]) {
        expect((await admin.fetch(path)).status).toBe(200)
        const ask = async (scope: string) => {
          const { access_token } = await obtainToken(server, owner, scope)
          return await server.fetch(path, { headers: { authorization: `Bearer ${access_token}` } })
        }
        expect((await ask('mcp:crash.read')).status).toBe(200)
        expect(await readFailure(await ask('mcp:health.read'))).toMatchObject({ status: 403, code: 4031 })
      }
    })

    test('of this game: a report of another one is 404/4040', async () => {
      const crash_uid = await report({ device_id: 'other' })
      const other = await insertGame(server, owner)
      for (const path of [
        `${other.uid}/crashes/${crash_uid}`,
        `${game.uid}/crashes/${createUid()}`,
        `${game.uid}/crashes/x`,
      ]) {
        expect(await readFailure(await owner.fetch(`/api/v1/private/games/${path}`))).toMatchObject({
          status: 404,
          code: 4040,
        })
      }
    })
  })
})

describe('symbols', () => {
  const MINUTE = 60_000

  const symbolsOf = (name: string) => `MODULE Linux x86_64 ABC0 game
FILE 3 /src/${name}.cpp
FUNC 1000 100 0 ${name}::turn
1000 100 42 3
PUBLIC 4000 0 ${name}_exported
`

  async function upload(module: string, text: string, to = build): Promise<string> {
    const uid = createUid()
    const objectKey = `symbols/${to.gameUid}/${uid}.sym`
    await server.deps.objects.put(objectKey, Buffer.from(text))
    const facts = { filename: `${module}.sym`, size: text.length, debugId: uid.replaceAll('-', '') }
    await server.deps.db
      .insert(symbols)
      .values({ uid, gameUid: to.gameUid, buildUid: to.uid, module, objectKey, ...facts })
    return objectKey
  }

  async function crash(values: Record<string, unknown>, from = build): Promise<void> {
    expect((await postAsGame(server, 'crashes', from, makeCrash(values))).status).toBe(202)
  }

  async function readStack(): Promise<unknown[]> {
    const answer = await owner.fetch(`/api/v1/private/games/${game.uid}/crashes`)
    const { items } = await readData<{ items: { stack: unknown[] }[] }>(answer)
    return items[0]?.stack ?? []
  }

  const symbolicate = (minutes = 0) =>
    symbolicateGroups(server.deps, game.uid, new Date(Date.now() + minutes * MINUTE))
  const frames = [
    { module: 'game', offset: 0x1010 },
    { module: 'game', offset: 0x4001, function: 'guessed' },
    { module: 'game', offset: 0x2000, function: 'told' },
    { module: 'libc.so', offset: 0x1010 },
  ]
  const shown = (name: string) => [
    { module: 'game', offset: 0x1010, function: `${name}::turn`, file: `/src/${name}.cpp`, line: 42 },
    { module: 'game', offset: 0x4001, function: `${name}_exported`, file: null, line: null },
    { module: 'game', offset: 0x2000, function: 'told', file: null, line: null },
    { module: 'libc.so', offset: 0x1010, function: null, file: null, line: null },
  ]

  describe('stacks', () => {
    test('are made readable with the symbols of their build', async () => {
      await startGame()
      await upload('game', symbolsOf('lamp'))
      await crash({ frames })
      await symbolicate()
      expect(await readStack()).toEqual(shown('lamp'))
    })

    test('are made readable when the symbols come later, and anew when better ones come', async () => {
      await startGame()
      await crash({ frames })
      await symbolicate()
      expect(await readStack()).toMatchObject(frames)
      await upload('game', symbolsOf('first'))
      await symbolicate()
      expect(await readStack()).toEqual(shown('first'))
      await upload('game', symbolsOf('second'))
      await symbolicate(2)
      expect(await readStack()).toEqual(shown('second'))
    })

    test('are read with symbols whose names no table can hold, beside those of others', async () => {
      await startGame()
      await upload('game', symbolsOf('lamp\0\u001B[2J').replace('42 3', `${'9'.repeat(400)} 3`))
      await crash({ frames })
      await symbolicate()
      const [turn, ...others] = shown('lamp [2J')
      expect(await readStack()).toEqual([{ ...turn, file: null, line: null }, ...others])
      await startGame()
      await upload('game', symbolsOf(`long${'x'.repeat(50_000)}`))
      await crash({ frames })
      await symbolicate()
      expect(JSON.stringify(await readStack()).length).toBeLessThan(10_000)
    })

    test('of a newer build are read with its own symbols', async () => {
      await startGame()
      const newer = await insertBuild(server, game.uid, { version: '2.0.0' })
      await upload('game', symbolsOf('old'))
      await upload('game', symbolsOf('new'), newer)
      await crash({ signature: 'same', frames })
      await symbolicate()
      expect(await readStack()).toEqual(shown('old'))
      await crash({ signature: 'same', frames, device_id: 'other' }, newer)
      await symbolicate()
      expect(await readStack()).toEqual(shown('new'))
    })

    test.each([
      ['C:\\Games\\Lantern.exe', 'lantern.pdb'],
      ['/usr/lib/libgame.so', 'libgame.so'],
      ['game.x86_64', 'game.x86_64'],
    ])('of %s are read with %s', async (module, uploaded) => {
      await startGame()
      await upload(uploaded, symbolsOf('lamp'))
      await crash({ frames: [{ module, offset: 0x1010 }] })
      await symbolicate()
      expect(await readStack()).toMatchObject([{ module, function: 'lamp::turn' }])
    })

    test('are left as they are when the file is gone, and nobody else waits for it', async () => {
      await startGame()
      await server.deps.objects.delete(await upload('game', symbolsOf('lamp')))
      await upload('other', symbolsOf('other'))
      await crash({ frames: [...frames, { module: 'other', offset: 0x1010 }] })
      await symbolicate()
      const stack = await readStack()
      expect(stack[1]).toMatchObject({ function: 'guessed' })
      expect(stack[4]).toMatchObject({ function: 'other::turn' })
    })

    test('that were looked at are not looked at again', async () => {
      await symbolicate(2)
      expect(await symbolicate(3)).toBe(0)
    })
  })

  describe('the job that reads symbols', () => {
    const pending = async () =>
      await server.deps.db.execute<{ key: string; owners: string[] }>(sql`
      select key, array(select jsonb_object_keys(flags)) as owners from graphile_worker.jobs
      where task_identifier = ${symbolicateGame.name} and key = ${`symbols:${game.uid}`}`)

    test('is queued once for a listing, for its owner', async () => {
      await startGame()
      await upload('game', symbolsOf('lamp'))
      await crash({ frames })
      for (let times = 0; times < 3; times += 1) await queueSymbolication(server.deps.db)
      expect([...(await pending())]).toEqual([
        { key: `symbols:${game.uid}`, owners: [`owner:${game.ownerUid}`] },
      ])
    })

    test('is not queued for stacks without new symbols', async () => {
      await startGame()
      await crash({ frames })
      await queueSymbolication(server.deps.db)
      expect(await pending()).toHaveLength(0)
    })

    test('reads them, and the queue goes on meanwhile', async () => {
      await startGame()
      await upload('game', symbolsOf('lamp'))
      await crash({ frames })
      await queueSymbolication(server.deps.db)
      // Not the job of every minute, which queues those with symbols of the last minute again.
      const handlers = loadHandlers().filter(({ job }) => job.name === symbolicateGame.name)
      const runner = await startRunner(server.deps, { databaseUrl: server.databaseUrl, handlers })
      try {
        await waitFor('the stack was read', async () => Bun.deepEquals(await readStack(), shown('lamp')))
      } finally {
        await runner.stop()
      }
      expect(await pending()).toHaveLength(0)
    })
  })
})
