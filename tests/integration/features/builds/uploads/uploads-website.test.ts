import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { obtainToken } from '../../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  fileForm,
  formOf,
  makeBytes,
  type Pipeline,
  type UploadedFile,
  type UploadSession,
  zipFile,
} from '../../../../helpers/uploads/uploads.ts'

const server = useStore({ TRUST_PROXY: '1' })
let pipeline: Pipeline
let admin: Person
let stranger: Person
beforeAll(async () => {
  pipeline = await createPipeline(server)
  ;[admin, stranger] = await Promise.all([signUp(server), signUp(server)])
  await insertAdmin(server, pipeline.game.uid, admin, 'accepted')
})

const BYTES = makeBytes(100_000)
const pathOf = (what: string, ref = pipeline.game.uid) => `/api/v1/private/games/${ref}/upload/${what}`
const post = async (person: Person, path: string, body: Bun.BodyInit, headers: Record<string, string> = {}) =>
  await person.fetch(path, { method: 'POST', body, headers })
const sessionForm = () =>
  new URLSearchParams({
    filename: 'game.zip',
    total_size: String(BYTES.length),
    checksum: sha256Hex(BYTES),
    build_id: pipeline.build.uid,
  })

describe('uploads on the website', () => {
  test('take a whole file, by uid or vanity name, from owner and admins; it came from the website', async () => {
    for (const [person, ref] of [
      [pipeline.owner, pipeline.game.uid],
      [admin, pipeline.game.vanityName],
    ] as const) {
      const answer = await post(person, pathOf('files', ref), fileForm(pipeline.build, BYTES))
      expect(answer.status).toBe(201)
      const { file_uid } = await readData<UploadedFile>(answer)
      const [row] = await server.deps.db.select().from(files).where(eq(files.uid, file_uid))
      expect(row).toMatchObject({ source: 'website', keyLast4: null })
    }
  })

  test('take a file in chunks', async () => {
    const { owner } = pipeline
    const opened = await post(owner, pathOf('sessions'), sessionForm())
    expect(opened.status).toBe(201)
    const { session_id } = await readData<UploadSession>(opened)
    const send = async (start: number, end: number) =>
      await post(owner, pathOf('files'), formOf([['file', zipFile(BYTES.subarray(start, end))]]), {
        'x-upload-session-id': session_id,
        'content-range': `bytes ${start}-${end - 1}/${BYTES.length}`,
      })
    expect((await send(0, 40_000)).status).toBe(202)
    const state = await readData<UploadSession>(await admin.fetch(pathOf(`sessions/${session_id}`)))
    expect(state).toMatchObject({ current_size: 40_000, expected_size: BYTES.length })
    expect((await send(40_000, BYTES.length)).status).toBe(201)
    const ended = await owner.fetch(pathOf(`sessions/${session_id}`), { method: 'DELETE' })
    expect(ended.status).toBe(200)
  })

  test('that are open are listed with what continuing them needs', async () => {
    const { owner, game, build } = await createPipeline(server)
    const path = pathOf('sessions', game.uid)
    const body = new URLSearchParams({ ...Object.fromEntries(sessionForm()), build_id: build.uid })
    const { session_id } = await readData<UploadSession>(await post(owner, path, body))
    const chunk = formOf([['file', zipFile(BYTES.subarray(0, 30_000))]])
    await post(owner, pathOf('files', game.uid), chunk, {
      'x-upload-session-id': session_id,
      'content-range': `bytes 0-29999/${BYTES.length}`,
    })
    const list = async () => await readData<{ items: object[]; total: number }>(await owner.fetch(path))
    expect(await list()).toMatchObject({
      total: 1,
      items: [
        {
          session_id,
          build_id: build.uid,
          filename: 'game.zip',
          checksum: sha256Hex(BYTES),
          current_size: 30_000,
          expected_size: BYTES.length,
          file_uid: null,
          source: 'website',
        },
      ],
    })
    await owner.fetch(`${path}/${session_id}`, { method: 'DELETE' })
    expect(await list()).toMatchObject({ total: 0, items: [] })
  })

  test('are not for others: 404/4040 on a draft, 403/4030 on a public page', async () => {
    const opened = await post(pipeline.owner, pathOf('sessions'), sessionForm())
    const { session_id } = await readData<UploadSession>(opened)
    const page = await insertGame(server, pipeline.owner, { visibility: 'public' })
    for (const [ref, status, code] of [
      [pipeline.game.uid, 404, 4040],
      [page.uid, 403, 4030],
    ] as const) {
      const answers = await Promise.all([
        post(stranger, pathOf('files', ref), fileForm(pipeline.build, BYTES)),
        post(stranger, pathOf('sessions', ref), sessionForm()),
        stranger.fetch(pathOf(`sessions/${session_id}`, ref)),
        stranger.fetch(pathOf(`sessions/${session_id}`, ref), { method: 'DELETE' }),
      ])
      for (const answer of answers) expect(await readFailure(answer)).toMatchObject({ status, code })
    }
  })

  test('need the verified e-mail of the owner, whoever uploads: 403/4096', async () => {
    const game = await insertGame(server, stranger)
    await insertAdmin(server, game.uid, pipeline.owner, 'accepted')
    for (const person of [stranger, pipeline.owner]) {
      const answer = await post(person, pathOf('files', game.uid), fileForm(pipeline.build, BYTES))
      expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4096 })
    }
  })

  test('refuse agents and deploy keys: 403/4033', async () => {
    const { access_token } = await obtainToken(server, pipeline.owner, 'mcp:builds.write')
    const credentials: Record<string, string>[] = [
      { authorization: `Bearer ${access_token}` },
      { ...pipeline.key },
    ]
    for (const headers of credentials) {
      for (const what of ['files', 'sessions']) {
        const answer = await server.fetch(pathOf(what), { method: 'POST', headers })
        expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4033 })
      }
    }
  })
})
