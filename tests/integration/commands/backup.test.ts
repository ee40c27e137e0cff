import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'

import { createFolderStore } from '../../../src/clients/objects/folder/folder.ts'
import { randomAddress, readCookies, signUp as signUpPerson } from '../../helpers/people.ts'
import { createDataFolder } from '../../helpers/processes/data-folder.ts'
import { type RunningProgram, runProgram, startProgram } from '../../helpers/processes/embedded-program.ts'
import { callSaves, createSaveKey, type SaveCalls } from '../../helpers/saves.ts'
import { waitFor } from '../../helpers/wait.ts'

const PASSWORD = 'a password that is long enough'
const MB = 1_000_000
const OBJECT = join('objects', 'games', 'a-build.zip')

let dir: string
let source: string
let archive: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-backup-'))
  // The database runs as another user, who must be able to come in.
  await chmod(dir, 0o755)
  source = join(dir, 'source')
  archive = join(dir, 'offline.backup')
  await createDataFolder(source)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** With the key of the store that was backed up. */
async function restore(target: string, file: string, env: Record<string, string> = {}) {
  return await runProgram(target, ['restore', file, '--key-file', join(source, 'secret-key')], env)
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

async function post(program: RunningProgram, path: string, body: object): Promise<Response> {
  return await fetch(program.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: program.url, 'x-forwarded-for': randomAddress() },
    body: JSON.stringify(body),
  })
}

async function signUp(program: RunningProgram, email: string): Promise<string> {
  const answer = await post(program, '/api/auth/sign-up/email', {
    name: 'Someone',
    email,
    password: PASSWORD,
  })
  expect(answer.status).toBe(200)
  return readCookies(answer)
}

type ReadSaves = (program: RunningProgram) => SaveCalls

/** A player with one save of two revisions; answers how to read it from any store that has them. */
async function keepSave(program: RunningProgram): Promise<ReadSaves> {
  const fetchFrom = ({ url }: RunningProgram) => ({
    url,
    fetch: (path: string, init?: RequestInit) => fetch(url + path, init),
  })
  const player = await signUpPerson(fetchFrom(program))
  const key = await createSaveKey(player)
  const sql = postgres(program.databaseUrl, { max: 1 })
  const game = Bun.randomUUIDv7()
  await sql`
    insert into games (uid, owner_uid, asset_type, visibility, name, vanity_name, saves_enabled, published_at)
    values (${game}, ${player.uid}, 'game', 'public', 'Kept', 'kept', true, now())`
  await sql`insert into licenses (game_uid, user_uid, source) values (${game}, ${player.uid}, 'claimed')`
  await sql.end()
  const savesIn: ReadSaves = (given) => callSaves(fetchFrom(given), game, key)
  const saves = savesIn(program)
  const first = await saves.write('main', 'level 1', null)
  await saves.write('main', 'level 2', first.revision)
  return savesIn
}

/** Adds numbered rows and makes objects come and go until it is told to stop; answers the last number. */
function writeOn(program: RunningProgram, dataDir: string) {
  let stopped = false
  let last = 0
  const done = (async () => {
    const sql = postgres(program.databaseUrl, { max: 1 })
    await sql`create table ticks (id int primary key, filling text)`
    while (!stopped) {
      const from = last + 1
      await sql`insert into ticks select g, repeat(md5(g::text), 30) from generate_series(${from}::int, ${from + 99}::int) g`
      last += 100
      const passing = join(dataDir, 'objects', `passing-${last % 500}`)
      await (last % 200 === 0 ? rm(passing, { force: true }) : writeFile(passing, 'soon gone'))
    }
    await sql.end()
  })()
  return {
    count: () => last,
    async stop() {
      stopped = true
      await done
    },
  }
}

describe('backup and restore', () => {
  test('a backup of a running server holds all that was there when it began', async () => {
    const target = join(dir, 'online.backup')
    let cookie: string
    let before: number
    let savesIn: ReadSaves
    {
      await using program = await startProgram(source)
      cookie = await signUp(program, 'early@example.org')
      savesIn = await keepSave(program)
      await mkdir(join(source, 'objects/games'), { recursive: true })
      await writeFile(join(source, OBJECT), Buffer.alloc(3_000_001, 7))
      const writer = writeOn(program, source)
      while (writer.count() < 2000) await Bun.sleep(10)
      before = writer.count()
      const { code, text } = await runProgram(source, ['backup', target])
      expect(text).toContain('Backed up')
      expect(code).toBe(0)
      expect(writer.count()).toBeGreaterThan(before)
      await writer.stop()
      await signUp(program, 'late@example.org')
    }
    expect((await stat(target)).mode & 0o777).toBe(0o600)
    expect(await Bun.file(`${target}.part`).exists()).toBe(false)

    const restored = join(dir, 'new', 'restored')
    expect(await restore(restored, target)).toMatchObject({ code: 0 })
    await using program = await startProgram(restored)
    const sql = postgres(program.databaseUrl, { max: 1 })
    const [ticks] = await sql`select count(*)::int as count, max(id) as last from ticks`
    const users = await sql`select email from users where email in ('early@example.org', 'late@example.org')`
    await sql.end()
    expect(ticks?.last).toBeGreaterThanOrEqual(before)
    expect(ticks?.count).toBe(ticks?.last)
    expect(users.map((user) => user.email)).toEqual(['early@example.org'])

    const signIn = { email: 'early@example.org', password: PASSWORD }
    expect((await post(program, '/api/auth/sign-in/email', signIn)).status).toBe(200)
    // Sessions are signed, so this one only counts where the key came along.
    const me = await fetch(`${program.url}/api/v1/private/me`, { headers: { cookie } })
    expect(me.status).toBe(200)
    expect(await readFile(join(restored, OBJECT))).toEqual(Buffer.alloc(3_000_001, 7))
    const saves = savesIn(program)
    const { items } = await saves.history('main')
    const texts = items.map(({ revision }) => saves.text('main', revision))
    expect(await Promise.all(texts)).toEqual(['level 2', 'level 1'])
    for (const name of ['secret-key', 'objects/.installation.json']) {
      expect(await readFile(join(restored, name), 'utf8')).toBe(await readFile(join(source, name), 'utf8'))
    }
  })

  test('a backup without a server starts the database for itself and stops it again', async () => {
    expect(await runProgram(source, ['backup', archive])).toMatchObject({ code: 0 })
    expect(await Bun.file(join(source, 'postgres/data/postmaster.pid')).exists()).toBe(false)
    const restored = join(dir, 'from-offline')
    await mkdir(restored)
    expect(await restore(restored, archive)).toMatchObject({ code: 0 })
    await using program = await startProgram(restored)
    const signIn = { email: 'late@example.org', password: PASSWORD }
    expect((await post(program, '/api/auth/sign-in/email', signIn)).status).toBe(200)
  })

  test('an object that is deleted while the backup runs is in it, because its copy of the database may name it', async () => {
    const target = join(dir, 'deleting.backup')
    const objects = createFolderStore({
      path: join(source, 'objects'),
      baseUrl: 'http://localhost',
      linkKeys: { signing: '', previous: [] },
      reserve: 0,
    })
    await objects.put('builds/game/z.zip', Buffer.from('the last one'), { contentType: 'application/zip' })
    // Read before the other, and too much for the buffers between disk and archive.
    const noise = randomBytes(8 * MB)
    for (let at = 0; at < 20; at += 1) await appendFile(join(source, 'objects/builds/a.bin'), noise)
    const backup = runProgram(source, ['backup', target])
    await waitFor('the objects are copied', async () => (await sizeOf(`${target}.part`)) > 30 * MB)
    await objects.delete('builds/game/z.zip')
    expect(await objects.head('builds/game/z.zip')).toBeNull()
    expect(await sizeOf(`${target}.part`)).toBeGreaterThan(0)
    expect(await backup).toMatchObject({ code: 0 })
    expect(await readdir(join(source, 'objects'))).not.toContain('.retained')

    const restored = join(dir, 'with-deleted')
    expect(await restore(restored, target)).toMatchObject({ code: 0 })
    expect(await readdir(join(restored, 'objects'))).not.toContain('.retained')
    expect(await readFile(join(restored, 'objects/builds/game/z.zip'), 'utf8')).toBe('the last one')
    expect(await Bun.file(join(restored, 'objects/.notes/builds/game/z.zip.json')).exists()).toBe(true)
    await rm(join(source, 'objects/builds'), { recursive: true })
    await rm(restored, { recursive: true })
    await rm(target)
  })

  test('an existing file is not overwritten', async () => {
    const { size } = await stat(archive)
    const { code, text } = await runProgram(source, ['backup', archive])
    expect(code).toBe(1)
    expect(text).toContain('already exists')
    expect((await stat(archive)).size).toBe(size)
  })

  test('a folder with something in it is not restored into', async () => {
    const { code, text } = await restore(source, archive)
    expect(code).toBe(1)
    expect(text).toContain('not empty')
  })

  test('where there is no database there is nothing to back up', async () => {
    const empty = join(dir, 'empty')
    const { code, text } = await runProgram(empty, ['backup', join(dir, 'never.backup')])
    expect(code).toBe(1)
    expect(text).toContain('no embedded database')
    expect(await readdir(dir)).not.toContain('empty')
  })

  test.each(['backup', 'restore'])('%s leaves external services to their own tools', async (command) => {
    const env = {
      DATABASE_URL: 'postgres://someone@127.0.0.1:1/x',
      SECRET_KEY: 'k'.repeat(40),
    }
    const { code, text } = await runProgram(join(dir, 'external'), [command, archive], env)
    expect(code).toBe(1)
    expect(text).toContain('pg_dump')
  })

  test.each([
    ['cut in half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['without its last byte', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['with some bytes changed', changeMiddle],
    ['replaced by text', () => Buffer.from('not an archive at all')],
    ['empty', () => Buffer.alloc(0)],
  ])('an archive %s is refused and leaves nothing', async (_, damage) => {
    const damaged = join(dir, 'damaged.backup')
    await writeFile(damaged, damage(await readFile(archive)))
    const target = join(dir, 'nothing', 'here')
    const { code, text } = await restore(target, damaged)
    expect(code).toBe(1)
    expect(text).toMatch(/damaged|no signature/)
    expect(await readdir(dir)).not.toContain('nothing')
  })
})

/** A single bit may be padding of the compression, which nobody would miss. */
function changeMiddle(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2)
  return Buffer.concat([
    bytes.subarray(0, at),
    bytes.subarray(at, at + 64).map((byte) => byte ^ 255),
    bytes.subarray(at + 64),
  ])
}
