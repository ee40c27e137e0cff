import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../../src/db/schema/accounts.ts'
import { builds } from '../../../../../src/db/schema/builds.ts'
import { deployKeys } from '../../../../../src/db/schema/deploy-keys.ts'
import { publishers } from '../../../../../src/db/schema/publishers.ts'
import { storageReservations } from '../../../../../src/db/schema/uploads.ts'
import {
  type DeployPair,
  insertBuild,
  insertFile,
  issueDeployKey,
  pointChannel,
} from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { findFile, runScanNow } from '../../../../helpers/scans.ts'
import { startTestServer, startTwin, type TestServer } from '../../../../helpers/server.ts'
import {
  addPublisher,
  COMMIT,
  exchange,
  type Issuer,
  jobToken,
  keyHeaders,
  type PublisherKey,
  startIssuer,
} from '../../../../helpers/sign-in/issuer.ts'
import {
  fileForm,
  makeBytes,
  openSession,
  postFile,
  postSession,
  sendChunk,
  signUpVerified,
  startForm,
  UPLOAD_PATH,
  type UploadedFile,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let issuer: Issuer
let owner: Person
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({ TRUST_PROXY: '1', TRUSTED_ISSUERS: issuer.url })
  owner = await signUpVerified(server)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
})
afterAll(async () => {
  await server.stop()
  await issuer.stop()
})

async function createGame(fields: Record<string, unknown> = {}): Promise<GameRow> {
  const game = await insertGame(server, owner)
  await addPublisher(owner, game.uid, issuer, fields)
  return game
}

async function takeKey(game: GameRow, claims: Record<string, unknown> = {}): Promise<PublisherKey> {
  const answer = await exchange(server, game.uid, await jobToken(issuer, server, claims))
  if (answer.status !== 201) throw new Error(`The exchange answered ${answer.status}: ${await answer.text()}`)
  return await readData<PublisherKey>(answer)
}

const register = (key: DeployPair, channel: string) =>
  server.fetch('/api/v1/tool/upload/build', {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.0.0', os: 'linux', arch: 'x86_64', channel }),
  })

async function expire(key: PublisherKey): Promise<void> {
  await server.deps.db
    .update(deployKeys)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(deployKeys.accessToken, key.access_token))
}

describe('a token of a trusted pipeline', () => {
  test('becomes a deploy key of 15 minutes, by uid and by name', async () => {
    const game = await createGame({ workflow: 'release.yml', environment: 'release', ref: 'refs/heads/*' })
    const before = Date.now()
    const answer = await exchange(server, game.vanityName, await jobToken(issuer, server))
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const key = await readData<PublisherKey>(answer)
    expect(Object.keys(key)).toEqual(['access_token', 'secret_key', 'expires_at', 'channels'])
    const lifetime = Date.parse(key.expires_at) - before
    expect(lifetime).toBeGreaterThan(14.5 * 60_000)
    expect(lifetime).toBeLessThan(15.5 * 60_000)
    expect((await register(keyHeaders(key), 'stable')).status).toBe(201)
    expect((await exchange(server, game.uid, await jobToken(issuer, server))).status).toBe(201)
    const [row] = await server.deps.db.select().from(publishers).where(eq(publishers.gameUid, game.uid))
    expect(row?.lastUsedAt).toBeInstanceOf(Date)
  })

  test.each(['ES256', 'PS256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const own = await startIssuer()
    try {
      const place = await startTwin(server, { TRUSTED_ISSUERS: own.url })
      try {
        const game = await insertGame(server, owner)
        await server.deps.db.insert(publishers).values({
          gameUid: game.uid,
          provider: 'custom',
          issuer: own.url,
          repository: 'moss/garden',
        })
        own.key = await own.addKey(alg)
        expect((await exchange(place, game.uid, await jobToken(own, place))).status).toBe(201)
      } finally {
        await place.stop()
      }
    } finally {
      await own.stop()
    }
  })

  test('of GitLab is read by its own claims', async () => {
    const game = await createGame({ provider: 'gitlab', workflow: '.gitlab-ci.yml', ref: 'refs/tags/v*' })
    const key = await takeKey(game, {
      repository: undefined,
      workflow_ref: undefined,
      ref: 'v1.0',
      run_id: undefined,
      project_path: 'moss/garden',
      ref_path: 'refs/tags/v1.0',
      pipeline_id: '77',
      ci_config_ref_uri: 'gitlab.example/moss/garden//.gitlab-ci.yml@refs/tags/v1.0',
    })
    const [row] = await server.deps.db
      .select()
      .from(deployKeys)
      .where(eq(deployKeys.accessToken, key.access_token))
    expect(row?.origin).toMatchObject({
      repository: 'moss/garden',
      ref: 'refs/tags/v1.0',
      run_url: `${issuer.url}/moss/garden/-/pipelines/77`,
    })
  })

  test('is refused while whoever trusted the pipeline is suspended, or no longer on the team', async () => {
    const admin = await signUpVerified(server)
    const game = await insertGame(server, owner)
    await server.deps.db.insert(publishers).values({
      gameUid: game.uid,
      provider: 'custom',
      issuer: issuer.url,
      repository: 'moss/garden',
      addedBy: admin.uid,
    })
    const ask = async () => (await exchange(server, game.uid, await jobToken(issuer, server))).status
    expect(await ask()).toBe(401)
    await insertAdmin(server, game.uid, admin, 'accepted')
    expect(await ask()).toBe(201)
    const suspend = (suspendedAt: Date | null) =>
      server.deps.db.update(users).set({ suspendedAt }).where(eq(users.id, admin.uid))
    await suspend(new Date())
    expect(await ask()).toBe(401)
    await suspend(null)
    expect(await ask()).toBe(201)
  })

  test('works once, also at two processes at the same time', async () => {
    const game = await createGame()
    const twin = await startTwin(server, { TRUSTED_ISSUERS: issuer.url })
    try {
      const audience = server.deps.config.baseUrl
      twin.deps.config.baseUrl = audience
      const token = await jobToken(issuer, { url: audience })
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => exchange(at % 2 === 0 ? server : twin, game.uid, token)),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => status === 401)).toHaveLength(7)
      const other = await createGame()
      const failure = await readFailure(await exchange(server, other.uid, token))
      expect(failure).toMatchObject({ code: 4108, data: { claim: 'jti' } })
    } finally {
      await twin.stop()
    }
  })

  test('is counted: 30 a minute for a game, whichever addresses they come from', async () => {
    const game = await createGame()
    const tokens = await Promise.all(Array.from({ length: 31 }, () => jobToken(issuer, server)))
    const statuses: number[] = []
    for (const token of tokens) statuses.push((await exchange(server, game.uid, token)).status)
    expect(statuses.slice(0, 30).every((status) => status === 201)).toBe(true)
    expect(statuses[30]).toBe(429)
  })

  test('is counted for the game only once it is accepted: neither junk nor a used one uses up its 30', async () => {
    const game = await createGame()
    const used = await jobToken(issuer, server)
    expect((await exchange(server, game.uid, used)).status).toBe(201)
    const other = await jobToken(issuer, server, { repository: 'moss/other' })
    for (const token of ['not a token', used, other]) {
      for (let at = 0; at < 31; at += 1) expect((await exchange(server, game.uid, token)).status).toBe(401)
    }
    expect((await exchange(server, game.uid, await jobToken(issuer, server))).status).toBe(201)
  })

  test('is counted: 60 a minute for an address', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 61; at += 1) {
      statuses.push((await exchange(server, `nobody-${at}`, 'not a token', '10.8.8.8')).status)
    }
    expect(statuses.slice(0, 60).every((status) => status === 401)).toBe(true)
    expect(statuses[60]).toBe(429)
  })
})

describe('a repository registered again under a freed name', () => {
  const GITLAB = {
    repository: undefined,
    repository_id: undefined,
    repository_owner_id: undefined,
    project_path: 'moss/garden',
    ref_path: 'refs/heads/main',
  }
  const IDS = [
    ['github', 'repository_id', {}],
    ['github', 'repository_owner_id', {}],
    ['custom', 'repository_id', {}],
    ['gitlab', 'project_id', { ...GITLAB, project_id: '712345678', namespace_id: '9919' }],
    ['gitlab', 'namespace_id', { ...GITLAB, project_id: 712_345_678, namespace_id: 9919 }],
  ] as const

  test.each(IDS)('publishes nothing: %s, another %s', async (provider, claim, claims) => {
    const game = await createGame({ provider })
    await takeKey(game, claims)
    await takeKey(game, claims)
    for (const [value, got] of [
      ['555', '"555"'],
      [undefined, 'nothing'],
    ] as const) {
      const token = await jobToken(issuer, server, { ...claims, [claim]: value })
      const failure = await readFailure<object>(await exchange(server, game.uid, token))
      expect(failure).toMatchObject({ status: 401, code: 4108, data: { claim, got } })
    }
    await takeKey(game, claims)
  })

  test('publishes after Forget, and then its ids are required', async () => {
    const game = await createGame()
    const list = async () => {
      const answer = await owner.fetch(`/api/v1/private/games/${game.uid}/publishers`)
      return (await readData<{ items: { uid: string }[] }>(answer)).items[0]
    }
    const uid = (await list())?.uid ?? ''
    expect(await list()).toMatchObject({ repository_id: null, repository_owner_id: null })
    await takeKey(game)
    expect(await list()).toMatchObject({ repository_id: '712345678', repository_owner_id: '9919' })
    const moved = { repository_id: '555', repository_owner_id: '444' }
    expect((await exchange(server, game.uid, await jobToken(issuer, server, moved))).status).toBe(401)
    const path = `/api/v1/private/games/${game.uid}/publishers/${uid}/forget`
    const forgotten = await readData<object>(await owner.json('POST', path))
    expect(forgotten).toMatchObject({ uid, repository_id: null, repository_owner_id: null })
    await takeKey(game, moved)
    expect((await exchange(server, game.uid, await jobToken(issuer, server))).status).toBe(401)
    const page = await owner.fetch(`/studio/${game.vanityName}/publishing`, {
      headers: { accept: 'text/html' },
    })
    const html = await page.text()
    expect(html).toContain(`/publishing/${uid}/forget`)
    expect(html).toContain(new URL(issuer.url).host)
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const done = await owner.fetch(`/studio/${game.vanityName}/publishing/${uid}/forget`, form)
    expect(done.headers.get('location')).toEndWith('/publishing?done=forgot')
    await takeKey(game)
    const history = await readData(await owner.fetch(`/api/v1/private/games/${game.uid}/history`))
    expect(history).toMatchObject({ items: [{ kind: 'publisher_forgot', subject: 'moss/garden' }, {}, {}] })
  })

  test('and the first exchanges at the same moment agree on one', async () => {
    const game = await createGame()
    const tokens = await Promise.all(
      ['1', '2', '3', '4'].map((repository_id) => jobToken(issuer, server, { repository_id })),
    )
    const answers = await Promise.all(tokens.map((token) => exchange(server, game.uid, token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401, 401, 401])
  })
})

describe('the key of a trusted publisher', () => {
  test('tells the repository and the commit of what it uploads', async () => {
    const game = await insertPublicGame(server, owner)
    await addPublisher(owner, game.uid, issuer)
    const key = keyHeaders(await takeKey(game))
    const { build_id } = await readData<{ build_id: string }>(await register(key, 'stable'))
    const answer = await postFile(server, key, fileForm({ uid: build_id }, makeBytes(100)))
    const { file_uid } = await readData<UploadedFile>(answer)
    const path = `/api/v1/public/games/${game.uid}/files/${file_uid}/provenance`
    expect(await readData<object>(await server.fetch(path))).toMatchObject({
      source: {
        kind: 'trusted_publisher',
        key_last4: null,
        repository: 'moss/garden',
        commit: COMMIT,
        ref: 'refs/heads/main',
        workflow: 'moss/garden/.github/workflows/release.yml@refs/heads/main',
        run_url: `${issuer.url}/moss/garden/actions/runs/8123456789`,
        commit_url: `${issuer.url}/moss/garden/commit/${COMMIT}`,
        builder: new URL(issuer.url).host,
      },
    })
    const page = await (await server.fetch(`/games/${game.vanityName}/files/${file_uid}`)).text()
    expect(page.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')).toContain(
      `Built by moss/garden at 4f2a91c in ${new URL(issuer.url).host}`,
    )
    expect(page).toContain(`href="${issuer.url}/moss/garden/actions/runs/8123456789"`)
  })

  test('registers and uploads only for its channels', async () => {
    const game = await createGame({ channels: ['beta'] })
    const issued = await takeKey(game)
    expect(issued.channels).toEqual(['beta'])
    const key = keyHeaders(issued)
    const stable = await insertBuild(server, game.uid, { channel: 'stable' })
    const beta = await insertBuild(server, game.uid, { channel: 'beta' })
    expect(await readFailure(await register(key, 'stable'))).toMatchObject({ status: 403, code: 4030 })
    expect((await register(key, 'beta')).status).toBe(200)
    const refused = await postFile(server, key, fileForm(stable, makeBytes(10)))
    expect(await readFailure(refused)).toMatchObject({ status: 403, code: 4030 })
    expect((await postFile(server, key, fileForm(beta, makeBytes(10)))).status).toBe(201)
    const bytes = makeBytes(20)
    const pair = await issueDeployKey(server, game.uid)
    const foreign = await openSession(server, { owner, game, build: stable, key: pair }, bytes)
    const chunk = await sendChunk(server, key, foreign.session_id, bytes, [0, 20])
    expect(await readFailure(chunk)).toMatchObject({ status: 403, code: 4030 })
    const form = new FormData()
    form.set('kind', 'cover')
    form.set('file', new File(['x'], 'cover.png'))
    const image = await server.fetch('/api/v1/tool/upload/images', {
      method: 'POST',
      headers: { ...key },
      body: form,
    })
    expect(await readFailure(image)).toMatchObject({ status: 403, code: 4030 })
  })

  test('changes nothing of a build that another channel delivers', async () => {
    const game = await createGame({ channels: ['beta'] })
    const key = keyHeaders(await takeKey(game))
    const build = await insertBuild(server, game.uid, { channel: 'beta', title: 'First' })
    await pointChannel(server, build)
    const released = await insertFile(server, build)
    const bytes = makeBytes(30)
    const pipeline = { owner, game, build, key }
    const begun = await openSession(server, pipeline, bytes)
    const zip = makeZip([{ name: 'game.bin', data: 'other' }])
    const sent = await postFile(server, key, fileForm(build, zip))
    const { file_uid: waiting } = await readData<UploadedFile>(sent)
    await pointChannel(server, build, 'stable')

    const symbols = new FormData()
    symbols.set('build_id', build.uid)
    symbols.set('file', new File(['MODULE Linux x86_64 0123 game\n'], 'game.sym'))
    const refused = [
      await postFile(server, key, fileForm(build, bytes)),
      await postSession(server, pipeline, bytes),
      await sendChunk(server, key, begun.session_id, bytes, [0, 30]),
      await server.fetch(`${UPLOAD_PATH}/sessions/${begun.session_id}`, {
        method: 'DELETE',
        headers: { ...key },
      }),
      await register(key, 'beta'),
      await server.fetch(`${UPLOAD_PATH}/symbols`, { method: 'POST', headers: { ...key }, body: symbols }),
    ]
    for (const answer of refused) {
      const failure = await readFailure(answer)
      expect(failure).toMatchObject({ status: 403, code: 4033 })
      expect(failure.message).toContain('stable')
    }
    const [row] = await server.deps.db.select().from(builds).where(eq(builds.uid, build.uid))
    expect(row?.title).toBe('First')

    await runScanNow(server, waiting)
    expect(await findFile(server, released.uid)).toMatchObject({ scan: 'clean' })
    expect(await findFile(server, waiting)).toMatchObject({
      scan: 'error',
      scanDetail: expect.stringContaining('limited to beta'),
    })
    const next = await insertBuild(server, game.uid, { channel: 'stable', version: '2.0.0' })
    await pointChannel(server, next, 'stable')
    const undone = await postFile(server, key, fileForm(build, bytes))
    expect(await readFailure(undone)).toMatchObject({ status: 403, code: 4033 })
    const pair = await issueDeployKey(server, game.uid)
    expect((await postFile(server, pair, fileForm(build, bytes))).status).toBe(201)
  })

  test('limited to channels does not rename an app for all of them', async () => {
    const game = await createGame({ channels: ['beta'] })
    const key = keyHeaders(await takeKey(game))
    await insertBuild(server, game.uid, {}, 'server')
    const name = (app_name: string) =>
      server.fetch(`${UPLOAD_PATH}/build`, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify({
          version: '1.0.0',
          os: 'linux',
          arch: 'x86_64',
          channel: 'beta',
          app: 'server',
          app_name,
        }),
      })
    expect((await name('server')).status).toBe(201)
    expect(await readFailure(await name('Free coins'))).toMatchObject({ status: 403, code: 4030 })
  })

  test('expires: what it began may be finished, and nothing else', async () => {
    const game = await createGame()
    const issued = await takeKey(game)
    const key = keyHeaders(issued)
    const build = await insertBuild(server, game.uid)
    const [bytes, other] = [makeBytes(30), makeBytes(30)]
    const pipeline = { owner, game, build, key }
    const session = await openSession(server, pipeline, bytes)
    const pair = await issueDeployKey(server, game.uid)
    const foreign = await openSession(server, { ...pipeline, key: pair }, other)
    await expire(issued)
    const form = await postFile(server, key, fileForm(build, bytes))
    expect(await readFailure(form)).toMatchObject({ status: 401, code: 4023 })
    expect((await register(key, 'stable')).status).toBe(401)
    const theirs = await sendChunk(server, key, foreign.session_id, other, [0, 30])
    expect(await readFailure(theirs)).toMatchObject({ status: 401, code: 4023 })
    expect((await sendChunk(server, key, session.session_id, bytes, [0, 10])).status).toBe(202)
    const done = await sendChunk(server, key, session.session_id, bytes, [10, 30])
    expect(done.status).toBe(201)
    const { file_uid } = await readData<UploadedFile>(done)
    const path = `/api/v1/private/games/${game.uid}/files/${file_uid}/provenance`
    expect(await readData<object>(await owner.fetch(path))).toMatchObject({
      source: { kind: 'trusted_publisher', commit: COMMIT },
    })
  })

  test('finishes a request that began in time', async () => {
    const game = await createGame()
    const issued = await takeKey(game)
    const build = await insertBuild(server, game.uid)
    const bytes = makeBytes(100)
    const fields = {
      build_id: build.uid,
      checksum: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    }
    const form = startForm(server, '/api/v1/tool/upload/files', keyHeaders(issued), fields)
    form.push(bytes.subarray(0, 50))
    await waitFor(
      'the request was admitted',
      async () => (await server.deps.db.$count(storageReservations)) > 0,
    )
    await expire(issued)
    form.push(bytes.subarray(50))
    form.close()
    expect((await form.answer).status).toBe(201)
  })

  test('alone goes on with what it began: no file is called built from a commit by somebody else', async () => {
    const game = await createGame()
    const key = keyHeaders(await takeKey(game))
    const build = await insertBuild(server, game.uid)
    const bytes = makeBytes(30)
    const session = await openSession(server, { owner, game, build, key }, bytes)
    const pair = await issueDeployKey(server, game.uid)
    const theirs = await sendChunk(server, pair, session.session_id, bytes, [0, 30])
    expect(await readFailure(theirs)).toMatchObject({ status: 403, code: 4030 })
    const otherCommit = keyHeaders(await takeKey(game, { sha: COMMIT.replace('4', '5') }))
    expect((await sendChunk(server, otherCommit, session.session_id, bytes, [0, 30])).status).toBe(403)
    const sameRun = keyHeaders(await takeKey(game))
    expect((await sendChunk(server, sameRun, session.session_id, bytes, [0, 30])).status).toBe(201)
  })
})
