import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { builds, symbols } from '../../../../src/db/schema/builds.ts'
import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { buildHealth } from '../../../../src/db/schema/telemetry.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { type GameRow, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { openTab, submitForm } from '../../../helpers/site/studio.ts'
import { createPipeline, makeBytes, openSession } from '../../../helpers/uploads/uploads.ts'

let server: TestServer
let owner: Person
let stranger: Person
let game: GameRow
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  ;[owner, stranger] = await Promise.all([signUp(server), signUp(server)])
  await verifyEmail(server, owner)
  game = await insertGame(server, owner)
})
afterAll(() => server.stop())

const entry = (path: string, size: number, content: string) => ({
  path,
  size,
  sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
})

describe('the builds of a project', () => {
  test('say what becomes of a file that its scan refused, and what to do', async () => {
    const build = await insertBuild(server, game.uid, { version: '0.9.0' })
    await insertFile(server, build, { filename: 'ill.zip', scan: 'infected', scanDetail: 'Eicar found' })
    await insertFile(server, build, { filename: 'odd.zip', scan: 'error', scanDetail: 'No zip' })
    for (const tab of ['builds', `builds/${build.uid}`]) {
      const page = await openTab(owner, game, tab)
      expect(page.split('The file was deleted and nobody can download it.')).toHaveLength(3)
      expect(page).toContain('Check the machine that made the build')
      expect(page).toContain('Fix the problem and upload again.')
    }
    const clean = await insertBuild(server, game.uid, { version: '0.9.1' })
    await insertFile(server, clean, { filename: 'well.zip' })
    expect(await openTab(owner, game, `builds/${clean.uid}`)).not.toContain('was deleted')
  })

  test('are shown with files, scans, channels and downloads', async () => {
    const build = await insertBuild(server, game.uid, { version: '1.4.2', title: 'The lamp update' })
    const file = await insertFile(server, build, { filename: 'lamp <b>.zip' })
    await insertFile(server, build, { filename: 'bad.zip', scan: 'infected', scanDetail: 'Eicar found' })
    await pointChannel(server, build)
    await insertBuild(server, game.uid, { version: '1.5.0', channel: 'press-preview' })
    const event = { at: new Date(), gameUid: game.uid, fileUid: file.uid, outcome: 200 }
    await server.deps.db.insert(downloadEvents).values({ ...event, source: 'library', client: 'curl' })
    await server.deps.db.insert(buildHealth).values({
      buildUid: build.uid,
      band: 'mixed',
      devices: 50,
      bootOk: 42,
      crashed: 3,
      leftOut: 7,
      judgedAt: new Date(),
    })
    const page = await openTab(owner, game, 'builds')
    const texts = [
      '1.4.2',
      'The lamp update',
      'lamp &lt;b>.zip',
      'Checked, no antivirus',
      'Infected',
      'Eicar found',
    ]
    for (const text of [
      ...texts,
      'On stable',
      '1 download in 30 days',
      'Upload build',
      'press-preview: only',
      'Starts for most',
      '50 devices, 7 more left out',
      'No device yet',
    ]) {
      expect(page).toContain(text)
    }
  })

  test('without any say how to begin, and what uploads need first', async () => {
    const person = await signUp(server)
    const page = await openTab(person, await insertGame(server, person), 'builds')
    expect(page).toContain('No build yet')
    expect(page).toContain('<a href="/account/security#email">Confirm yours</a>')
    expect(page).not.toContain('Upload build')
  })

  test('name unfinished uploads, with what continuing them needs', async () => {
    const pipeline = await createPipeline(server)
    const { session_id } = await openSession(server, pipeline, makeBytes(5000))
    const page = await openTab(pipeline.owner, pipeline.game, 'builds')
    expect(page).toContain('Unfinished uploads')
    expect(page).toContain(`data-session="${session_id}"`)
    expect(page).toContain('It is sent by a build pipeline')
  })

  test('are the missing page for others, and ask guests to sign in', async () => {
    const build = await insertBuild(server, game.uid, { version: '0.0.1' })
    for (const tab of ['builds', `builds/${build.uid}`, 'builds/events']) {
      const path = `/studio/${game.vanityName}/${tab}`
      expect((await stranger.fetch(path, { headers: { accept: 'text/html' } })).status).toBe(404)
    }
    const answer = await server.fetch(`/studio/${game.vanityName}/builds`)
    expect(answer.headers.get('location')).toStartWith('/sign-in')
  })
})

describe('one build', () => {
  test('shows how its inner files differ from the build before', async () => {
    const own = await insertGame(server, owner)
    const first = await insertBuild(server, own.uid, { version: '1.0.0' })
    const unrelated = await insertBuild(server, own.uid, { version: '1.0.0', os: 'windows' })
    const second = await insertBuild(server, own.uid, { version: '1.1.0' })
    await insertFile(server, first, {}, [entry('a', 1, 'a'), entry('b', 10, 'old'), entry('gone', 3, 'x')])
    await insertFile(server, unrelated, {}, [entry('windows-only', 1, 'w')])
    await insertFile(server, second, {}, [
      entry('a', 1, 'a'),
      entry('b', 2048, 'new'),
      entry('fresh', 4, 'y'),
    ])
    const page = await openTab(owner, own, `builds/${second.uid}`)
    expect(page).toContain('Difference to 1.0.0')
    expect(page).toContain('1 file added, 1 file removed, 1 file changed, 1 file the same.')
    for (const text of ['<bdi>fresh</bdi>', '<bdi>gone</bdi>', '<bdi>b</bdi>', '2.0 KB'])
      expect(page).toContain(text)
    for (const text of ['windows-only', '<bdi>a</bdi>']) expect(page).not.toContain(text)
    expect(await openTab(owner, own, `builds/${first.uid}`)).toContain('first build of its platform')
  })

  test('is deleted after a confirmation, its symbols by themselves', async () => {
    const build = await insertBuild(server, game.uid, { version: '9.9.9' })
    const values = { gameUid: game.uid, buildUid: build.uid, module: 'lamp.so', debugId: 'A1', size: 5 }
    const [symbol] = await server.deps.db
      .insert(symbols)
      .values({ ...values, filename: 'lamp.sym', objectKey: 'symbols/lamp.sym' })
      .returning()
    const path = `/studio/${game.vanityName}/builds/${build.uid}`
    expect(await openTab(owner, game, `builds/${build.uid}`)).toContain('Delete symbols of lamp.so')
    const removed = await submitForm(owner, `${path}/symbols`, { symbol_uid: symbol?.uid ?? '' })
    expect(removed.headers.get('location')).toBe(`${path}?done=symbols`)
    expect(await openTab(owner, game, `builds/${build.uid}`)).not.toContain('lamp.so')

    const refused = await submitForm(owner, `${path}/delete`, {})
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('Tick the box')])
    const deleted = await submitForm(owner, `${path}/delete`, { confirm: 'yes' })
    expect(deleted.headers.get('location')).toBe(`/studio/${game.vanityName}/builds?done=deleted`)
    const rows = await server.deps.db.select({ uid: builds.uid }).from(builds)
    expect(rows.map(({ uid }) => uid)).not.toContain(build.uid)
    const gone = await owner.fetch(path, { headers: { accept: 'text/html' } })
    expect(gone.status).toBe(404)
  })
})

describe('the events of a project', () => {
  const listen = async () => {
    const stop = new AbortController()
    const init = { headers: { cookie: owner.cookie }, signal: stop.signal }
    const answer = await fetch(`${server.url}/studio/${game.vanityName}/builds/events`, init)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    return { next: async () => (await reader?.read())?.value, stop: () => stop.abort() }
  }

  test('say that something changed, and nothing of other projects', async () => {
    const other = await insertGame(server, owner)
    const { next, stop } = await listen()
    expect(await next()).toStartWith('retry:')
    await server.deps.db.transaction((tx) => notifyChange(tx, other.uid))
    const event = next()
    expect(await Promise.race([event, Bun.sleep(1200).then(() => 'nothing')])).toBe('nothing')
    await server.deps.db.transaction((tx) => notifyChange(tx, game.uid))
    expect(await event).toBe('event: change\ndata: {}\n\n')
    stop()
  })

  test('do not hold up the end of the server', async () => {
    const { next } = await listen()
    await next()
    const started = performance.now()
    await server.stop()
    expect(performance.now() - started).toBeLessThan(10_000)
    server = await startTestServer({ TRUST_PROXY: '1' })
  })
})
