import { beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { files, scanEvents } from '../../../../../src/db/schema/builds.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { insertBuild, issueDeployKey } from '../../../../helpers/builds.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { startTestServer } from '../../../../helpers/server.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  fileForm,
  formOf,
  makeBytes,
  type Pipeline,
  postFile,
  startForm,
  UPLOAD_PATH,
  type UploadedFile,
  type UploadSession,
  zipFile,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let pipeline: Pipeline

describe('tool', () => {
  beforeAll(async () => {
    pipeline = await createPipeline(server)
  })

  const BYTES = makeBytes(300_000)
  const HASH = sha256Hex(BYTES)
  const post = async (form: FormData) => await postFile(server, pipeline.key, form)
  const stored = async ({ game } = pipeline) =>
    (await Array.fromAsync(server.deps.objects.list(`builds/${game.uid}/`))).map(({ key }) => key)
  const underWay = async () => await readdir(join(server.dataDir, 'objects/.uploads')).catch(() => [])

  describe('a file in one request', () => {
    test('is stored, recorded as scanning with its provenance, and waits for its scan', async () => {
      const bytes = makeBytes(5_000_000)
      const answer = await post(fileForm(pipeline.build, bytes))
      expect(answer.status).toBe(201)
      const file = await readData<UploadedFile>(answer)
      expect(file).toEqual({
        file_uid: file.file_uid,
        build_id: pipeline.build.uid,
        filename: 'game.zip',
        size: 5_000_000,
        checksum: sha256Hex(bytes),
        scan: 'scanning',
        app: 'main',
        app_name: expect.any(String),
      })
      const { db, objects } = server.deps
      const [row] = await db.select().from(files).where(eq(files.uid, file.file_uid))
      expect(row).toMatchObject({
        gameUid: pipeline.game.uid,
        scan: 'scanning',
        source: 'deploy_key',
        keyLast4: pipeline.key['x-access-token'].slice(-4),
        objectKey: `builds/${pipeline.game.uid}/${file.file_uid}.zip`,
      })
      const history = await db.select().from(scanEvents).where(eq(scanEvents.fileUid, file.file_uid))
      expect(history).toMatchObject([{ state: 'scanning' }])
      const { stream } = await objects.get(row?.objectKey ?? '')
      expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(file.checksum)
      const jobs = await db.execute(
        sql`select payload from graphile_worker._private_jobs where payload ->> 'fileUid' = ${file.file_uid}`,
      )
      expect(jobs).toHaveLength(1)
    })

    const fields = ['file', 'build_id', 'checksum', 'os'] as const
    test.each(permutationsOf(fields).map((order) => [order.join(', ')]))(
      'is taken with its fields in the order %s',
      async (order) => {
        const { key, build } = await createPipeline(server)
        const values = { file: zipFile(BYTES), build_id: build.uid, checksum: HASH, os: 'linux' }
        const parts = fields
          .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
          .map((name) => [name, values[name]] as const)
        expect((await postFile(server, key, formOf(parts))).status).toBe(201)
      },
    )

    test.each([
      ['with the prefix sha256:', { checksum: `sha256:${HASH}` }],
      ['with an upper-case checksum', { checksum: HASH.toUpperCase() }],
      ['with an upper-case .ZIP', { file: zipFile(BYTES, 'Game.ZIP') }],
      ['by another name of build_id', { build_id: null, build: '<build>' }],
      ['with the fields of its build', { os: 'linux', arch: 'x86_64', channel: 'stable', app: 'main' }],
      ['with fields nobody knows', { colour: 'green' }],
      [
        'by version and platform',
        {
          build_id: null,
          version: '1.0.0',
          build_type: 'game',
          os: 'linux',
          arch: 'x86_64',
          channel: 'stable',
        },
      ],
      ['beside a file under another name', { notes: new File(['x'], 'notes.txt') }],
    ])('is taken %s', async (_, changes) => {
      const { key, build } = await createPipeline(server)
      const form = fileForm(build, BYTES, { ...changes, ...('build' in changes && { build: build.uid }) })
      const answer = await postFile(server, key, form)
      expect(answer.status).toBe(201)
      expect(await readData<UploadedFile>(answer)).toMatchObject({ build_id: build.uid, checksum: HASH })
    })

    test.each([
      ['Ünïcode – ☃.zip', 'Ünïcode – ☃.zip'],
      ['C:\\builds\\game.zip', 'game.zip'],
      ['../../etc/game.zip', 'game.zip'],
    ])('named %s is called %s', async (name, called) => {
      const { key, build } = await createPipeline(server)
      const answer = await postFile(server, key, fileForm(build, BYTES, { file: zipFile(BYTES, name) }))
      expect(await readData<UploadedFile>(answer)).toMatchObject({ filename: called })
    })

    test.each([
      [400, 4037, 'no file', { file: null }],
      [400, 4037, 'a text instead of a file', { file: 'bytes' }],
      [400, 4037, 'a file under another name only', { file: null, zip: zipFile(BYTES) }],
      [400, 4038, 'no build', { build_id: null }],
      [404, 4039, 'an unknown build', { build_id: crypto.randomUUID() }],
      [404, 4039, 'a build_id that is none', { build_id: 'nonsense' }],
      [
        404,
        4039,
        'a version nobody registered',
        { build_id: null, version: '9', os: 'linux', arch: 'x86_64' },
      ],
      [400, 4041, 'no checksum', { checksum: null }],
      [400, 4041, 'a checksum that is none', { checksum: 'abc' }],
      [400, 4041, 'an os outside the list', { os: 'beos' }],
      [400, 4041, 'the os of another build', { os: 'windows' }],
      [400, 4041, 'the arch of another build', { arch: 'arm64' }],
      [400, 4041, 'the channel of another build', { channel: 'beta' }],
      [400, 4041, 'the app of another build', { app: 'server' }],
      [400, 4041, 'a file that is no .zip', { file: zipFile(BYTES, 'game.exe') }],
      [400, 4041, 'a name of 256 characters', { file: zipFile(BYTES, `${'x'.repeat(252)}.zip`) }],
      [400, 4041, 'a name that hides its end', { file: zipFile(BYTES, 'game\u202Egpj.zip') }],
      [400, 4046, 'the checksum of other bytes', { checksum: sha256Hex('other') }],
    ])('is refused with %i/%i for %s, and leaves nothing behind', async (status, code, _, changes) => {
      const { key, build, game } = await createPipeline(server)
      for (const form of [fileForm(build, BYTES, changes), fileFirst(fileForm(build, BYTES, changes))]) {
        expect(await readFailure(await postFile(server, key, form))).toMatchObject({ status, code })
      }
      expect(await stored({ ...pipeline, game })).toEqual([])
      expect(await underWay()).toEqual([])
    })

    test('of another game is not found', async () => {
      const other = await createPipeline(server)
      const answer = await post(fileForm(other.build, BYTES))
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4039 })
    })

    test.each([
      ['no body', {}],
      ['JSON', { body: '{}', headers: { 'content-type': 'application/json' } }],
      ['a form without boundary', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }],
      ['a form that is none', { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } }],
    ])('is refused with 400/4037 when it comes as %s', async (_, init) => {
      const headers = { ...pipeline.key, ...('headers' in init && init.headers) }
      const answer = await server.fetch(`${UPLOAD_PATH}/files`, { method: 'POST', ...init, headers })
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4037 })
    })

    test('of an owner who has not verified their e-mail is refused with 403/4096 before the form is read', async () => {
      const owner = await signUp(server)
      const game = await insertGame(server, owner)
      await insertBuild(server, game.uid)
      const key = await issueDeployKey(server, game.uid)
      const form = startForm(server, `${UPLOAD_PATH}/files`, { ...key })
      expect(await readFailure(await form.answer)).toMatchObject({ status: 403, code: 4096 })
      form.hangUp()
    })

    test('whose row cannot be written is 500/4048, and the same upload succeeds later', async () => {
      const { key, build } = await createPipeline(server)
      const send = async () =>
        await postFile(server, key, fileForm(build, BYTES, { file: zipFile(BYTES, 'unlucky.zip') }))
      await server.deps.db.execute(
        sql`alter table files add constraint luck check (filename <> 'unlucky.zip')`,
      )
      expect(await readFailure(await send())).toMatchObject({ status: 500, code: 4048 })
      await server.deps.db.execute(sql`alter table files drop constraint luck`)
      expect((await send()).status).toBe(201)
    })

    test('of a client that hangs up leaves nothing behind', async () => {
      const { key, build, game } = await createPipeline(server)
      const fields = { build_id: build.uid, checksum: HASH }
      const form = startForm(server, `${UPLOAD_PATH}/files`, { ...key }, fields)
      form.push(makeBytes(3_000_000))
      await waitFor('bytes arrive', async () => (await underWay()).length > 0)
      form.hangUp()
      await waitFor('everything is gone', async () => (await underWay()).length === 0)
      expect(await stored({ ...pipeline, game })).toEqual([])
    })

    test('may be sent many times at once', async () => {
      const { key, build, game } = await createPipeline(server)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => postFile(server, key, fileForm(build, BYTES))),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
      expect(await stored({ ...pipeline, game })).toHaveLength(20)
    })

    test('reaches no store that is down: 503/5031', async () => {
      const env = {
        STORAGE_URL: 's3://none?endpoint=http://127.0.0.1:1&path_style=true',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
      }
      const cut = await startTestServer({ TRUST_PROXY: '1', ...env })
      try {
        const { key, build } = await createPipeline(cut)
        expect(await readFailure(await postFile(cut, key, fileForm(build, BYTES)))).toMatchObject({
          status: 503,
          code: 5031,
        })
      } finally {
        await cut.stop()
      }
    })
  })

  /** The same form with its file before everything else. */
  function fileFirst(form: FormData): FormData {
    const parts = [...form.entries()]
    return formOf(parts.toSorted(([a], [b]) => Number(b === 'file') - Number(a === 'file')))
  }

  function permutationsOf<Item>(items: readonly Item[]): Item[][] {
    if (items.length === 0) return [[]]
    return items.flatMap((item) =>
      permutationsOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
    )
  }
})

describe('website', () => {
  let admin: Person
  let stranger: Person
  beforeAll(async () => {
    pipeline = await createPipeline(server)
    ;[admin, stranger] = await Promise.all([signUp(server), signUp(server)])
    await insertAdmin(server, pipeline.game.uid, admin, 'accepted')
  })

  const BYTES = makeBytes(100_000)
  const pathOf = (what: string, ref = pipeline.game.uid) => `/api/v1/private/games/${ref}/upload/${what}`
  const post = async (
    person: Person,
    path: string,
    body: Bun.BodyInit,
    headers: Record<string, string> = {},
  ) => await person.fetch(path, { method: 'POST', body, headers })
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

    test('need the verified e-mail of the owner, whoever uploads: 403/4096', async () => {
      const game = await insertGame(server, stranger)
      await insertAdmin(server, game.uid, pipeline.owner, 'accepted')
      for (const person of [stranger, pipeline.owner]) {
        const answer = await post(person, pathOf('files', game.uid), fileForm(pipeline.build, BYTES))
        expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4096 })
      }
    })
  })
})
