import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { runOperator } from '../../../../src/commands/accounts.ts'
import { files } from '../../../../src/db/schema/builds.ts'
import { operatorActs } from '../../../../src/db/schema/operate.ts'
import type { Act } from '../../../../src/features/audit/model.ts'
import { scanFile } from '../../../../src/features/builds/scans/jobs.ts'
import { rebuildSearch } from '../../../../src/features/catalog/search/jobs.ts'
import type { OperatorAccount } from '../../../../src/features/operate/accounts/model.ts'
import type { PageReport } from '../../../../src/features/operate/moderation/model.ts'
import type { QueuedJob, Status } from '../../../../src/features/operate/status/model.ts'
import { enqueue } from '../../../../src/jobs/queue.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { failingJob } from '../../../helpers/jobs.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { signUp } from '../../../helpers/people.ts'
import { readVersions, release } from '../../../helpers/releases.ts'
import { callSaves, createSaveKey, newSaveGame } from '../../../helpers/saves.ts'
import { queueScan, runScanNow } from '../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

/** No worker runs beside this server. */
const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)
const owner = usePerson(server)

async function list<Item>(path: string): Promise<Paged<Item>> {
  return await readData<Paged<Item>>(await operator.fetch(`/api/v1/operator/${path}`))
}

describe('the storage limit of an account', () => {
  const limitOf = async (uid: string) =>
    (await list<OperatorAccount>(`accounts?q=${uid}`)).items[0]?.storage_limit

  test('is set and unset, by the API and the page, and written to the audit log', async () => {
    const { uid } = owner
    expect(await limitOf(uid)).toBeNull()
    const set = (body: object) => operator.json('PUT', `/api/v1/operator/accounts/${uid}/storage-limit`, body)
    const answer = await set({ limit: 5_000_000_000, reason: 'A studio with large builds.' })
    expect(await readData(answer)).toMatchObject({ uid, storage_limit: 5_000_000_000 })
    expect((await set({ limit: -1 })).status).toBe(400)
    expect((await set({})).status).toBe(400)
    const [first] = (await list<Act>('audit')).items
    expect(first).toMatchObject({ act: 'set_storage_limit', subject: { kind: 'account', id: uid } })
    expect(first?.reason).toBe('4.7 GB: A studio with large builds.')

    const path = `/operate/accounts/${uid}/storage`
    const page = await (await operator.fetch(path)).text()
    expect(page).toContain('use 0 bytes of 4.7 GB')
    const send = (limit: string) =>
      operator.fetch(path, { method: 'POST', body: new URLSearchParams({ limit, reason: '' }) })
    expect((await send('much')).status).toBe(400)
    expect((await send('200 GB')).status).toBe(303)
    expect(await limitOf(uid)).toBe(200 * 1024 ** 3)
    expect((await send('')).status).toBe(303)
    expect(await limitOf(uid)).toBeNull()
  })
})

describe('status', () => {
  test('tells services, queues, scans, storage, search and requests', async () => {
    const game = await insertPublicGame(server, owner)
    const build = await insertBuild(server, game.uid)
    await insertFile(server, build, { scan: 'scanning', size: 4321 })
    const { uid } = await newSaveGame(server, owner)
    await callSaves(server, uid, await createSaveKey(owner)).write('main', 'level 2', null)
    await server.fetch('/api/v1/public/search')
    // On a busy machine it may answer too late for a moment.
    const status = await waitFor('the database is up', async () => {
      const read = await readData<Status>(await operator.fetch('/api/v1/operator/status'))
      return read.services.some(({ name, up }) => name === 'database' && up) && read
    })
    expect(status.scans).toMatchObject({ running: 1, oldest: { listing_uid: game.uid } })
    expect(status.storage.find(({ kind }) => kind === 'builds')).toEqual({
      kind: 'builds',
      objects: 1,
      bytes: 4321,
    })
    expect(status.storage).toContainEqual({ kind: 'saves', objects: 1, bytes: 7 })
    expect(status.search.engine).toBe('postgres')
    expect(status.requests.total).toBeGreaterThan(0)
    expect(status.requests.slowest.map(({ route }) => route)).toContain('/api/v1/public/search')
    expect(status.requests.minutes.reduce((sum, count) => sum + count, 0)).toBe(status.requests.total)
  })
})

describe('jobs', () => {
  test('those that failed for good are listed, and start over', async () => {
    await enqueue(server.deps.db, failingJob, { reason: 'x' })
    await server.deps.db.execute(sql`
      update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'no such host'
      where task_id = (select id from graphile_worker._private_tasks where identifier = ${failingJob.name})`)
    const { items } = await list<QueuedJob>('jobs')
    expect(items).toMatchObject([{ task: failingJob.name, last_error: 'no such host', state: 'failed' }])
    const [job] = items
    expect((await act(operator, `jobs/${job?.id}/retry`)).status).toBe(200)
    expect((await list<QueuedJob>('jobs')).items).toEqual([])
    expect((await list<QueuedJob>('jobs?state=waiting')).items).toContainEqual(
      expect.objectContaining({ id: job?.id, attempts: 0 }),
    )
    for (const id of ['0', '9223372036854775808', 'x']) {
      expect((await act(operator, `jobs/${id}/retry`)).status).toBe(404)
    }
  })

  test('rebuilding the search index waits once, however often it is asked for', async () => {
    await act(operator, 'search/rebuild')
    await act(operator, 'search/rebuild')
    const { items } = await list<QueuedJob>('jobs?state=waiting&page_size=50')
    expect(items.filter(({ task }) => task === rebuildSearch.name)).toHaveLength(1)
  })
})

describe('reports', () => {
  async function report(): Promise<string> {
    const game = await insertPublicGame(server, owner)
    const body = { reason: 'stolen', text: 'I drew this.' }
    const sent = await owner.json('POST', `/api/v1/private/games/${game.uid}/reports`, body)
    expect(sent.status).toBe(201)
    return game.uid
  }
  const open = async (uid: string) =>
    (await list<PageReport>('reports?page_size=50')).items.find(({ listing }) => listing.uid === uid)

  test('are dismissed or resolved, once', async () => {
    for (const [how, state] of [
      ['dismiss', 'dismissed'],
      ['resolve', 'resolved'],
    ] as const) {
      const gameUid = await report()
      const found = await open(gameUid)
      expect(found).toMatchObject({ reason: 'stolen', text: 'I drew this.', state: 'open' })
      expect((await act(operator, `reports/${found?.uid}/${how}`)).status).toBe(200)
      expect((await act(operator, `reports/${found?.uid}/${how}`)).status).toBe(409)
      expect(await open(gameUid)).toBeUndefined()
      expect((await list<PageReport>(`reports?state=${state}`)).items).toContainEqual(
        expect.objectContaining({ uid: found?.uid, state }),
      )
    }
  })

  test('of a page are resolved when it is taken down', async () => {
    const gameUid = await report()
    await act(operator, `listings/${gameUid}/take-down`, { reason: 'Stolen.' })
    expect(await open(gameUid)).toBeUndefined()
  })
})

describe('rescan', () => {
  const zip = makeZip([{ name: 'game', data: 'a game' }])

  test('scans a clean file again, and moves no channel', async () => {
    await verifyEmail(server, owner)
    const game = await insertPublicGame(server, owner)
    const newer = await insertBuild(server, game.uid, { version: '2.0.0' })
    const file = await queueScan(server, newer, zip)
    await runScanNow(server, file.uid)
    const older = await release(server, game.uid, { version: '1.0.0' })
    await pointChannel(server, older)
    expect((await act(operator, `files/${file.uid}/rescan`)).status).toBe(200)
    expect(await scanOf(file.uid)).toBe('scanning')
    const { items } = await list<QueuedJob>('jobs?state=waiting')
    expect(items.map(({ task }) => task)).toContain(scanFile.name)
    await runScanNow(server, file.uid, { isRepeat: true })
    expect(await scanOf(file.uid)).toBe('clean')
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
  })

  test('refuses a file whose bytes are gone', async () => {
    const game = await insertPublicGame(server, owner)
    const file = await insertFile(server, await insertBuild(server, game.uid), { scan: 'infected' })
    expect((await act(operator, `files/${file.uid}/rescan`)).status).toBe(409)
    expect((await act(operator, `files/${crypto.randomUUID()}/rescan`)).status).toBe(404)
  })

  async function scanOf(uid: string): Promise<string | undefined> {
    const [row] = await server.deps.db.select({ scan: files.scan }).from(files).where(eq(files.uid, uid))
    return row?.scan
  }
})

describe('finding', () => {
  test('a listing by name, developer, uid, or the uid or hash of a file', async () => {
    const name = `Needle ${crypto.randomUUID().slice(0, 8)}`
    const game = await insertPublicGame(server, owner, { name, visibility: 'draft' })
    const file = await insertFile(server, await insertBuild(server, game.uid))
    for (const q of [name.toUpperCase(), game.vanityName, game.uid, file.uid, file.checksum]) {
      const { items } = await list<{ uid: string }>(`listings?q=${encodeURIComponent(q)}`)
      expect([q, items.map(({ uid }) => uid)]).toEqual([q, [game.uid]])
    }
    const detail = await operator.fetch(`/api/v1/operator/listings/${game.uid}`)
    expect(await readData<object>(detail)).toMatchObject({ name, files: [{ uid: file.uid, scan: 'clean' }] })
  })

  test('an account by address or uid, page by page', async () => {
    for (const q of [owner.email.toUpperCase(), owner.uid]) {
      const { items } = await list<{ uid: string }>(`accounts?q=${encodeURIComponent(q)}`)
      expect(items.map(({ uid }) => uid)).toEqual([owner.uid])
    }
    const all = await list<{ uid: string }>('accounts?page_size=1')
    expect([all.items.length, all.total]).toEqual([1, 2])
  })
})

describe('the audit log', () => {
  test('shows every act with its reason, newest first', async () => {
    const game = await insertPublicGame(server, owner)
    await act(operator, `listings/${game.uid}/take-down`, { reason: 'Stolen.' })
    await act(operator, `listings/${game.uid}/restore`, { reason: 'A mistake.' })
    const { items } = await list<Act>('audit?page_size=2')
    expect(items).toMatchObject([
      { act: 'restore_listing', reason: 'A mistake.' },
      {
        act: 'take_down',
        reason: 'Stolen.',
        subject: { kind: 'listing', id: game.uid, name: game.name },
        operator: { uid: operator.uid },
      },
    ])
  })

  test('only grows: the database refuses to change, delete or truncate it', async () => {
    const { db } = server.deps
    await act(operator, 'search/rebuild')
    const before = await db.$count(operatorActs)
    const tries = [
      () => db.update(operatorActs).set({ reason: 'nothing happened' }).execute(),
      () => db.delete(operatorActs).execute(),
      () => db.execute(sql`truncate ${operatorActs}`),
    ]
    for (const attempt of tries) {
      const error: unknown = await attempt().then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(String((error as { cause?: unknown } | null)?.cause)).toContain('only grows')
    }
    expect(await db.$count(operatorActs)).toBe(before)
  })
})

describe('playshelf operator', () => {
  test('names, lists and removes operators, from the next request on', async () => {
    const person = await signUp(server)
    const status = async () => (await person.fetch('/api/v1/operator/status')).status
    const run = (...options: string[]) => runOperator(server.deps, options)
    expect(run('add', person.email)).rejects.toThrow('not confirmed')
    expect(await status()).toBe(404)
    await verifyEmail(server, person)
    expect(await run('add', person.email)).toContain('is an operator now')
    expect(await status()).toBe(200)
    expect(await run('list')).toContain(person.email)
    expect(await run('remove', person.email)).toContain('no operator any more')
    expect(await status()).toBe(404)
    expect(run('add', 'nobody@example.org')).rejects.toThrow('Sign up with it first')
    expect(run('promote', person.email)).rejects.toThrow('operator takes')
    const { items } = await list<Act>('audit?page_size=2')
    expect(items.map(({ act: name, operator: by }) => [name, by.username])).toEqual([
      ['remove_operator', 'command line'],
      ['add_operator', 'command line'],
    ])
  })
})
