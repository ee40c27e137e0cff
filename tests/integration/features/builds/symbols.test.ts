import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'

import { eq, sql } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { builds, symbols } from '../../../../src/db/schema/builds.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, type DeployPair, insertBuild, issueDeployKey } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
beforeAll(async () => {
  await verifyEmail(server, owner)
})

let game: GameRow
let build: BuildRow
let key: DeployPair
beforeEach(async () => {
  game = await insertGame(server, owner)
  build = await insertBuild(server, game.uid)
  key = await issueDeployKey(server, game.uid)
})

const DEBUG_ID = '6ADAC5A0F1E94A7FB2A3C1D0E5F607180'
const LINE = `MODULE Linux x86_64 ${DEBUG_ID} lighthouse`
const TEXT = `${LINE}\nFUNC 1000 20 0 main\n`
const listPath = () => `/api/v1/private/games/${game.uid}/symbols`

type Part = [name: string, value: string | Blob, filename?: string]

function send(parts: Part[], headers: Record<string, string> = { ...key }) {
  const form = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, filename)
  }
  return server.fetch('/api/v1/tool/upload/symbols', { method: 'POST', headers, body: form })
}

const buildId = (): Part => ['build_id', build.uid]
const file = (text: string = TEXT, filename = 'lighthouse.sym'): Part => ['file', new Blob([text]), filename]

async function readKeysToDelete(): Promise<string[]> {
  const rows = await server.deps.db.execute<{ payload: { keys: string[] } }>(
    sql`select payload from graphile_worker._private_jobs`,
  )
  return rows.flatMap(({ payload }) => payload.keys ?? [])
}

describe('symbols', () => {
  test('are stored with what their MODULE line says', async () => {
    const answer = await send([buildId(), file()])
    expect(answer.status).toBe(201)
    const stored = await readData<{ uid: string }>(answer)
    expect(stored).toEqual({ uid: stored.uid, module: 'lighthouse', debug_id: DEBUG_ID } as typeof stored)
    const [row] = await server.deps.db.select().from(symbols).where(eq(symbols.uid, stored.uid))
    expect(row).toMatchObject({ buildUid: build.uid, size: TEXT.length, filename: 'lighthouse.sym' })
    expect(row?.objectKey).toBe(`symbols/${game.uid}/${stored.uid}.sym`)
    const { stream } = await server.deps.objects.get(row?.objectKey ?? '')
    expect(await new Response(stream).text()).toBe(TEXT)
  })

  test('may come before the build they belong to', async () => {
    expect((await send([file(), buildId()])).status).toBe(201)
    expect((await send([file(), ['build', build.uid]])).status).toBe(201)
  })

  test.each([
    ['windows line ends', `MODULE windows x86_64 ${DEBUG_ID} game.pdb\r\nPUBLIC 0 0 x\r\n`, 'game.pdb'],
    ['a name with spaces', `MODULE mac arm64 ${DEBUG_ID.toLowerCase()} My Game\n`, 'My Game'],
    ['nothing after the line', `MODULE Linux x86 ${DEBUG_ID} lone`, 'lone'],
    ['a megabyte of functions', `${LINE}\n${'FUNC 1 2 3 x\n'.repeat(90_000)}`, 'lighthouse'],
  ])('are read with %s', async (_, text, module) => {
    expect(await readData(await send([buildId(), file(text)]))).toMatchObject({ module, debug_id: DEBUG_ID })
  })

  test.each([
    ['no MODULE line', () => [buildId(), file('FUNC 1000 20 0 main\n')], 400, 4041],
    ['a MODULE line that comes later', () => [buildId(), file(`\n${TEXT}`)], 400, 4041],
    ['a MODULE line without a name', () => [buildId(), file(`MODULE Linux x86 ${DEBUG_ID}\n`)], 400, 4041],
    ['a debug id that is none', () => [buildId(), file('MODULE Linux x86 no-hex name\n')], 400, 4041],
    ['a NUL in the name', () => [buildId(), file(`${LINE}\0x\n`)], 400, 4041],
    ['a control character in the name', () => [buildId(), file(`${LINE}\u001B[2Jx\n`)], 400, 4041],
    ['an empty file', () => [buildId(), file('')], 400, 4041],
    ['a first line without end', () => [buildId(), file('M'.repeat(100_000))], 400, 4041],
    ['another kind of file', () => [buildId(), file(TEXT, 'lighthouse.zip')], 400, 4041],
    ['no file', () => [buildId()], 400, 4037],
    ['no build', () => [file()], 400, 4038],
    ['an unknown build', () => [['build_id', createUid()], file()], 404, 4039],
    ['an unknown build, told last', () => [file(), ['build_id', createUid()]], 404, 4039],
    ['a build id that is none', () => [['build_id', 'latest'], file()], 404, 4039],
  ] as [string, () => Part[], number, number][])('%s is refused', async (_, parts, status, code) => {
    expect(await readFailure(await send(parts()))).toMatchObject({ status, code })
    expect(await server.deps.db.$count(symbols, eq(symbols.gameUid, game.uid))).toBe(0)
    const left = await Array.fromAsync(server.deps.objects.list(`symbols/${game.uid}/`))
    expect(left).toEqual([])
  })

  test('of more than 512 MB are refused before they are sent', async () => {
    const head = [
      'POST /api/v1/tool/upload/symbols HTTP/1.1',
      'Host: localhost',
      ...Object.entries(key).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: multipart/form-data; boundary=B',
      'Content-Length: 600000000',
    ]
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8')
    socket.write(`${head.join('\r\n')}\r\n\r\n--B\r\n`)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1.1 413/)
    expect(answer).toContain('"code":4043')
  })

  test('need a deploy key of the game, and an owner with a verified address', async () => {
    expect(await readFailure(await send([buildId(), file()], {}))).toMatchObject({ status: 401, code: 4020 })
    const other = await issueDeployKey(server, (await insertGame(server, owner)).uid)
    expect(await readFailure(await send([buildId(), file()], { ...other }))).toMatchObject({ code: 4039 })
    await server.deps.db.update(users).set({ emailVerified: false }).where(eq(users.id, owner.uid))
    expect(await readFailure(await send([buildId(), file()]))).toMatchObject({ status: 403, code: 4096 })
    await verifyEmail(server, owner)
  })

  test('are 502/5020 when they cannot be stored', async () => {
    const { objects } = server.deps
    const { put } = objects
    objects.put = async () => {
      throw new Error('The disk is full')
    }
    try {
      expect(await readFailure(await send([buildId(), file()]))).toMatchObject({ status: 502, code: 5020 })
    } finally {
      objects.put = put
    }
  })

  test('replace those of the same module and debug id', async () => {
    const first = await readData<{ uid: string }>(await send([buildId(), file()]))
    const second = await readData<{ uid: string }>(await send([buildId(), file(`${TEXT}more\n`)]))
    await send([buildId(), file(TEXT.replace('lighthouse', 'engine'))])
    const { items, total } = await readData<{ items: { uid: string }[]; total: number }>(
      await owner.fetch(listPath()),
    )
    expect(total).toBe(2)
    expect(items.map(({ uid }) => uid)).toContain(second.uid)
    expect(await readKeysToDelete()).toContain(`symbols/${game.uid}/${first.uid}.sym`)
  })

  test('sent twice at once are there once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => send([buildId(), file()])))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])
    const rows = await server.deps.db.select().from(symbols).where(eq(symbols.gameUid, game.uid))
    expect(rows).toHaveLength(1)
    const gone = await readKeysToDelete()
    const objects = await Array.fromAsync(server.deps.objects.list(`symbols/${game.uid}/`))
    expect(objects.filter(({ key: name }) => !gone.includes(name)).map(({ key: name }) => name)).toEqual(
      rows.map(({ objectKey }) => objectKey),
    )
  })

  test('of a build that is deleted meanwhile are not stored', async () => {
    const { objects } = server.deps
    const { put } = objects
    objects.put = async (...given) => {
      await server.deps.db.delete(builds).where(eq(builds.uid, build.uid))
      return await put(...given)
    }
    try {
      expect(await readFailure(await send([buildId(), file()]))).toMatchObject({ status: 404, code: 4039 })
    } finally {
      objects.put = put
    }
    expect(await Array.fromAsync(objects.list(`symbols/${game.uid}/`))).toEqual([])
  })

  test('are listed and deleted on the website and by agents with the scope', async () => {
    const { uid } = await readData<{ uid: string }>(await send([buildId(), file()]))
    const asAgent = async (scope: string) => ({
      authorization: `Bearer ${(await obtainToken(server, owner, scope)).access_token}`,
    })
    const [reader, writer] = [await asAgent('mcp:builds.read'), await asAgent('mcp:builds.write')]
    const expected = { uid, build_id: build.uid, module: 'lighthouse', debug_id: DEBUG_ID, size: TEXT.length }
    expect(await readData(await server.fetch(listPath(), { headers: reader }))).toMatchObject({
      items: [expected],
      total: 1,
    })
    const one = `${listPath()}/${uid}`
    expect(await readFailure(await server.fetch(one, { method: 'DELETE', headers: reader }))).toMatchObject({
      status: 403,
      code: 4031,
    })
    const stranger = await signUp(server)
    expect((await stranger.json('DELETE', one)).status).toBe(404)
    expect((await server.fetch(one, { method: 'DELETE', headers: writer })).status).toBe(200)
    expect(await readKeysToDelete()).toContain(`symbols/${game.uid}/${uid}.sym`)
    expect(await readFailure(await owner.json('DELETE', one))).toMatchObject({ status: 404, code: 4040 })
    expect((await owner.json('DELETE', `${listPath()}/no-uid`)).status).toBe(404)
  })

  test('share the limit of 60 uploads a minute for a game', async () => {
    const answers = await Promise.all(Array.from({ length: 61 }, () => send([])))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused && (await readFailure(refused))).toMatchObject({ code: 4291 })
  })
})
