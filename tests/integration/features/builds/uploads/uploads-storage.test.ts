import { beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../../src/db/schema/accounts.ts'
import { files } from '../../../../../src/db/schema/builds.ts'
import { storageReservations } from '../../../../../src/db/schema/uploads.ts'
import { endExpiredReservations } from '../../../../../src/features/storage/quota.ts'
import { createUid } from '../../../../../src/lib/ids.ts'
import { insertFile } from '../../../../helpers/builds.ts'
import { readFailure } from '../../../../helpers/json.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  openSession,
  type Pipeline,
  postFile,
  postSession,
  signUpVerified,
  UPLOAD_PATH,
} from '../../../../helpers/uploads/uploads.ts'

const KIB = 1024
const LIMIT = 100 * KIB

const server = useStore({ TRUST_PROXY: '1', ACCOUNT_STORAGE: '100 KB' })
let pipeline: Pipeline
beforeEach(async () => {
  pipeline = await createPipeline(server, await signUpVerified(server))
})

const post = async (size: number, to = pipeline) =>
  await postFile(server, to.key, fileForm(to.build, makeBytes(size)))
const open = async (size: number, to = pipeline) => await postSession(server, to, new Uint8Array(size))
const used = async (size: number) =>
  await insertFile(server, pipeline.build, { size, filename: `${createUid()}.zip` })

interface Use {
  used: number
  limit: number
}

describe('the storage of an account', () => {
  test('ends at its limit: 413/4131 with what is used, for files and sessions', async () => {
    await used(60 * KIB)
    for (const answer of [await post(50 * KIB), await open(50 * KIB)]) {
      const failure = await readFailure<Use>(answer)
      expect(failure).toMatchObject({ status: 413, code: 4131, data: { used: 60 * KIB, limit: LIMIT } })
      expect(failure.message).toContain('60.0 KB of the 100 KB of this account are used')
    }
    expect((await post(30 * KIB)).status).toBe(201)
    expect((await open(20 * KIB)).status).toBe(413)
  })

  test('counts every game of the owner, and open sessions whole', async () => {
    const other = await createPipeline(server, pipeline.owner)
    expect((await open(70 * KIB, other)).status).toBe(201)
    const failure = await readFailure<Use>(await open(40 * KIB))
    expect(failure).toMatchObject({ status: 413, code: 4131, data: { used: 70 * KIB } })
  })

  test('is free again after a session is given up, or a file is refused or deleted', async () => {
    const { session_id } = await openSession(server, pipeline, new Uint8Array(90 * KIB))
    expect((await open(20 * KIB)).status).toBe(413)
    await server.fetch(`${UPLOAD_PATH}/sessions/${session_id}`, {
      method: 'DELETE',
      headers: { ...pipeline.key },
    })
    const file = await used(90 * KIB)
    expect((await open(20 * KIB)).status).toBe(413)
    await server.deps.db.update(files).set({ scan: 'error' }).where(eq(files.uid, file.uid))
    expect((await open(20 * KIB)).status).toBe(201)
  })

  test('cannot be passed by uploads that come together', async () => {
    const answers = await Promise.all(
      [...Array(8).keys()].map((n) => (n % 2 ? post(40 * KIB) : open(40 * KIB))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 413)).toHaveLength(6)
    expect(await server.deps.db.$count(storageReservations)).toBe(0)
  })

  test('is refused by the announced length, before any byte arrives', async () => {
    const headers = {
      host: 'localhost',
      ...pipeline.key,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(200 * KIB),
    }
    const answer = Promise.withResolvers<string>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: { data: (_, data) => answer.resolve(data.toString()) },
    })
    const head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    socket.write(`POST ${UPLOAD_PATH}/files HTTP/1.1\r\n${head}\r\n`)
    expect(await answer.promise).toContain('"code":4131')
    socket.terminate()
  })

  test('covers symbols and images', async () => {
    await used(99 * KIB)
    const form = new FormData()
    form.append('build_id', pipeline.build.uid)
    form.append('file', new File([`MODULE Linux x86_64 AB game\n${'x'.repeat(2 * KIB)}`], 'game.sym'))
    const symbols = await server.fetch(`${UPLOAD_PATH}/symbols`, {
      method: 'POST',
      headers: { ...pipeline.key },
      body: form,
    })
    expect(await readFailure(symbols)).toMatchObject({ status: 413, code: 4131 })
    const picture = new FormData()
    picture.append('file', new File([new Uint8Array(2 * KIB)], 'a.png', { type: 'image/png' }))
    const cover = await pipeline.owner.fetch(`/api/v1/private/games/${pipeline.game.uid}/images/cover`, {
      method: 'PUT',
      body: picture,
    })
    expect(await readFailure(cover)).toMatchObject({ status: 413, code: 4131 })
  })

  test('has another limit if an operator set one', async () => {
    const limit = 1024 * KIB
    await server.deps.db.update(users).set({ storageLimit: limit }).where(eq(users.id, pipeline.owner.uid))
    expect((await open(500 * KIB)).status).toBe(201)
    const failure = await readFailure<Use>(await open(600 * KIB))
    expect(failure.data).toEqual({ used: 500 * KIB, limit })
  })

  test('is shown on the builds tab and the page of the account data', async () => {
    await used(25 * KIB)
    for (const path of [`/studio/${pipeline.game.vanityName}/builds`, '/account/data'])
      expect(await (await pipeline.owner.fetch(path)).text()).toContain('25.0 KB of 100 KB used')
  })

  test('does not count what a process that was killed had reserved, once that has expired', async () => {
    const { owner } = pipeline
    const reserve = async (ms: number) =>
      await server.deps.db
        .insert(storageReservations)
        .values({ ownerUid: owner.uid, bytes: 90 * KIB, expiresAt: new Date(Date.now() + ms) })
    await reserve(60_000)
    expect((await open(20 * KIB)).status).toBe(413)
    await server.deps.db.delete(storageReservations)
    await reserve(-1000)
    expect((await open(20 * KIB)).status).toBe(201)
    await endExpiredReservations(server.deps.db, new Date())
    expect(await server.deps.db.$count(storageReservations)).toBe(0)
  })
})
