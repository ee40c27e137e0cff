import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { type BuildRow, insertBuild, insertFile, pointChannel } from '../helpers/builds.ts'
import { makeEvent, postAsGame } from '../helpers/ingest.ts'
import { readData, readFailure } from '../helpers/json.ts'
import {
  type GameRow,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../helpers/listings.ts'
import { randomAddress } from '../helpers/people.ts'
import { mountDisk } from '../helpers/processes/disk.ts'
import { usePerson, useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const FULL = [507, 5071]
const MIB = 1024 * 1024
/** The user that an embedded Postgres runs as when root starts it. */
const NOBODY = 65_534

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)
let game: GameRow
let fileUid: string
let build: BuildRow
let key: string
beforeAll(async () => {
  for (const person of [owner, player]) await verifyEmail(server, person)
  game = await insertPublicGame(server, owner, { anonymousDownloads: true })
  build = await insertBuild(server, game.uid)
  fileUid = (await insertFile(server, build)).uid
  await pointChannel(server, build)
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, 90)
  const made = await player.json('POST', '/api/v1/private/player-keys', { label: 'Console' })
  key = (await readData<{ key: string }>(made)).key
})

const html = { accept: 'text/html' }
const codeOf = async (answer: Response) => {
  const { status, code } = await readFailure(answer)
  return [status, code]
}
const edit = (of: GameRow, patch: object) => owner.json('PATCH', `/api/v1/private/games/${of.uid}`, patch)
/** Hardly compressible, so that each needs pages of its own. */
const longText = () =>
  Array.from({ length: 700 }, () => crypto.randomUUID().replaceAll('-', '').slice(0, 30)).join(' ')

const disk = await mountDisk(8 * MIB)

describe.skipIf(disk === null)('a database whose disk is full', () => {
  const space = `space_${crypto.randomUUID().replaceAll('-', '')}`
  const ballast = join(disk?.path ?? '', 'ballast')
  let own: GameRow
  beforeAll(async () => {
    own = await insertGame(server, owner)
    const folder = join(disk?.path ?? '', 'space')
    await mkdir(folder)
    await chown(folder, NOBODY, NOBODY)
    await server.deps.db.execute(sql.raw(`create tablespace ${space} location '${folder}'`))
    await server.deps.db.execute(sql.raw(`alter table games set tablespace ${space}`))
  })
  afterAll(async () => {
    await server.deps.db.execute(sql.raw('alter table games set tablespace pg_default'))
    await server.deps.db.execute(sql.raw(`drop tablespace ${space}`))
    await disk?.unmount()
  })

  test('refuses every edit with 507/5071, goes on reading, and saves again once there is room', async () => {
    expect((await edit(own, { description: longText() })).status).toBe(200)
    await fill(ballast)
    // One after the other: edits of one listing wait for each other.
    const codes: (number | undefined)[][] = []
    for (let tried = 0; tried < 20; tried += 1)
      codes.push(await codeOf(await edit(own, { description: longText() })))
    // Rows may still fit into pages that have room.
    for (const code of codes.filter(([status]) => status !== 200)) expect(code).toEqual(FULL)
    expect(codes.filter(([status]) => status === 507).length).toBeGreaterThan(10)
    expect((await owner.fetch(`/api/v1/private/games/${own.uid}`)).status).toBe(200)
    expect((await server.fetch(`/api/v1/public/games/${game.uid}`)).status).toBe(200)
    await rm(ballast)
    expect((await edit(own, { description: longText() })).status).toBe(200)
  })
})

async function fill(path: string): Promise<void> {
  const child = Bun.spawn(['dd', 'if=/dev/zero', `of=${path}`, 'bs=4096'], { stderr: 'ignore' })
  await child.exited
}

/** Every statement that could need room fails as Postgres does on a full disk. */
async function refuseWrites(code: string): Promise<void> {
  await server.deps.db.execute(
    sql.raw(`create or replace function out_of_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '${code}'; end $$`),
  )
  await server.deps.db.execute(
    sql.raw(`do $$ declare each record; begin
      for each in select schemaname, tablename from pg_tables
        where schemaname = 'public' or (schemaname = 'graphile_worker' and tablename = '_private_jobs') loop
        execute format('create or replace trigger out_of_room before insert or update on %I.%I
          for each statement execute function out_of_room()', each.schemaname, each.tablename);
      end loop; end $$`),
  )
}

async function takeWrites(): Promise<void> {
  await server.deps.db.execute(sql.raw('drop function out_of_room cascade'))
}

describe('a database that has no room for anything', () => {
  const bearer = () => ({ headers: { authorization: `Bearer ${key}` } })
  const from = () => ({ 'x-forwarded-for': randomAddress() })
  const signIn = (email: string, password: string) =>
    server.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, ...from() },
      body: JSON.stringify({ email, password }),
    })
  const READS: Record<string, () => Promise<Response>> = {
    listing: () => server.fetch(`/api/v1/public/games/${game.uid}`),
    search: () => server.fetch('/api/v1/public/search?q=lighthouse'),
    'listing with a key': () => server.fetch(`/api/v1/public/games/${game.uid}`, bearer()),
    'store page': () => server.fetch(`/games/${game.vanityName}`, { headers: html }),
    'store page, signed in': () => player.fetch(`/games/${game.vanityName}`, { headers: html }),
    library: () => player.fetch('/library', { headers: html }),
    me: () => player.fetch('/api/v1/private/me'),
    // Its session is extended once a day, which is a write.
    'me, a day later': () =>
      server.fetch('/api/v1/private/me', {
        headers: { cookie: `${player.cookie}; x=1`, origin: server.url },
      }),
    studio: () => owner.fetch(`/studio/${game.vanityName}/overview`, { headers: html }),
    'download link': () => server.fetch(`/api/v1/public/downloads/${fileUid}`, { headers: from() }),
    'own download': () => player.fetch(`/api/v1/private/games/${game.uid}/files/${fileUid}/download`),
  }
  const WRITES: Record<string, () => Promise<Response>> = {
    edit: () => edit(game, { tagline: 'Changed.' }),
    'new project': () => owner.json('POST', '/api/v1/private/games', { name: 'New', asset_type: 'game' }),
    review: () => player.json('PUT', `/api/v1/private/games/${game.uid}/review`, { rating: 5, text: '' }),
    tags: () => player.json('PUT', `/api/v1/private/games/${game.uid}/tag-suggestions`, { tags: ['quiet'] }),
    report: () =>
      player.json('POST', `/api/v1/private/games/${game.uid}/reports`, { reason: 'other', text: 'x' }),
    'player key': () => player.json('POST', '/api/v1/private/player-keys', { label: 'Other' }),
    profile: () => player.json('PATCH', '/api/v1/private/me', { developer_mode: true }),
    'sign-in': () => signIn(player.email, player.password),
    'sign-up': () =>
      server.fetch('/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...from() },
        body: JSON.stringify({ name: 'X', email: 'full@example.org', password: 'a long password' }),
      }),
    events: () => postAsGame(server, 'events', build, { events: [makeEvent()] }),
  }

  test('reads go on, and everything that saves says 507/5071', async () => {
    await server.deps.db.execute(sql`update sessions set expires_at = now() + interval '20 days'`)
    await refuseWrites('53100')
    try {
      const read = await Promise.all(
        Object.entries(READS).map(async ([name, ask]) => [name, (await ask()).status]),
      )
      expect(read).toEqual(Object.keys(READS).map((name) => [name, 200]))
      const wrote = []
      for (const [name, ask] of Object.entries(WRITES)) wrote.push([name, ...(await codeOf(await ask()))])
      expect(wrote).toEqual(Object.keys(WRITES).map((name) => [name, ...FULL]))
    } finally {
      await takeWrites()
    }
    expect((await edit(game, { tagline: 'Changed.' })).status).toBe(200)
  })

  test('a form comes back with what was typed', async () => {
    await refuseWrites('53100')
    try {
      const answer = await player.fetch(`/games/${game.vanityName}/review`, {
        method: 'POST',
        headers: html,
        body: new URLSearchParams({ rating: '4', text: 'All of this was typed.' }),
      })
      const page = await answer.text()
      expect(answer.status).toBe(507)
      expect(page).toContain('All of this was typed.')
      expect(page).toContain('no room left')
    } finally {
      await takeWrites()
    }
  })

  /** Postgres closes the connection that it refuses, which a trigger cannot do. */
  const closeRefused = async () =>
    (
      await server.deps.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction (aborted)'`)
    ).length > 0

  test.each([
    ['53200', false],
    ['57P03', true],
  ])('%s is told as 503/5031', async (code, isClosed) => {
    await refuseWrites(code)
    try {
      const answer = edit(game, { tagline: 'Once more.' })
      if (isClosed) await waitFor('the connection is closed', closeRefused)
      expect(await codeOf(await answer)).toEqual([503, 5031])
    } finally {
      await takeWrites()
    }
  })
})
