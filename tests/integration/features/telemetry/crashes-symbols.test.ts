import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { symbols } from '../../../../src/db/schema/builds.ts'
import { symbolicateGame } from '../../../../src/features/telemetry/crashes/jobs.ts'
import {
  queueSymbolication,
  symbolicateGroups,
} from '../../../../src/features/telemetry/crashes/symbolicate.ts'
import { startRunner } from '../../../../src/jobs/runner.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { loadHandlers } from '../../../../src/worker/registry.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, postAsGame } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let game: GameRow
let build: BuildRow
beforeAll(async () => {
  owner = await signUp(server)
})

const MINUTE = 60_000

async function startGame(): Promise<void> {
  game = await insertGame(server, owner)
  build = await insertBuild(server, game.uid)
}

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
