import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { appendFile, mkdir, open, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { games } from '../../src/db/schema/games/games.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { writeZip } from '../../src/lib/bytes/zip-writer.ts'
import { readPush, type ShelfWorld, startShelfWorld, writeRandomFiles } from '../helpers/cli/shelf.ts'
import { drawPng } from '../helpers/files/pictures.ts'
import { EICAR } from '../helpers/files/zips.ts'
import { createTempDir } from '../helpers/processes/child.ts'
import { watchPeakMemory } from '../helpers/processes/process-stats.ts'
import type { Pipeline } from '../helpers/uploads/uploads.ts'
import { PROMPT_MS, waitFor } from '../helpers/wait.ts'

const MIB = 1024 ** 2
const MEMORY_MAX_MB = 150
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64']
const push = (folder: string, ...more: string[]) => [
  'push',
  folder,
  ...PLATFORM,
  '--version',
  '1.0.0',
  '--json',
  ...more,
]

let world: ShelfWorld
let pipeline: Pipeline
let folder: string
beforeAll(async () => {
  world = await startShelfWorld()
})
afterAll(async () => await world.stop())
beforeEach(async () => {
  pipeline = await world.createGame()
  folder = await world.folder('game')
})

const call = (args: string[], options: Parameters<ShelfWorld['shelf']>[2] = {}) =>
  world.shelf(pipeline, args, options).result

describe('credentials', () => {
  const withoutKey = { SHELF_ACCESS_TOKEN: '', SHELF_SECRET_KEY: '' }

  test('a login is saved for its owner alone, used, and forgotten', async () => {
    const { 'x-access-token': token, 'x-secret-key': secret } = pipeline.key
    const env = { ...withoutKey, XDG_CONFIG_HOME: join(folder, 'config') }
    const stdin = `${token}\n${secret}\n`
    expect((await call(['builds'], { env })).code).toBe(3)
    expect((await call(['login', '--stdin'], { env, stdin })).code).toBe(0)
    const { mode } = await stat(join(folder, 'config/shelf/credentials.json'))
    expect(mode & 0o777).toBe(0o600)
    const listed = await call(['builds'], { env })
    expect(listed.code).toBe(0)
    expect(listed.out).toContain('VERSION')
    expect((await call(['logout'], { env })).code).toBe(0)
    expect((await call(['builds'], { env })).code).toBe(3)
  })

  test('a wrong key ends with 3 and the code of the server, and is never printed', async () => {
    const env = { SHELF_SECRET_KEY: 'a-wrong-secret-of-somebody' }
    const { code, out, err } = await call(['push', folder, ...PLATFORM, '--version', '1', '--json'], { env })
    expect(code).toBe(3)
    expect(JSON.parse(out)).toMatchObject({ error: { exit: 3, code: 4024 } })
    expect(out + err).not.toContain('a-wrong-secret')
    expect(out + err).not.toContain(pipeline.key['x-access-token'])
  })

  test('the key of another game is refused before anything is packed', async () => {
    const { code, err } = await call(['builds', '--game', 'another-game'])
    expect(code).toBe(3)
    expect(err).toContain(pipeline.game.vanityName)
  })
})

describe('files', () => {
  test('that change while they are packed stop the push: 7', async () => {
    await writeRandomFiles(folder, { 'a.pck': 60 * MIB })
    const log = join(folder, 'z.log')
    await Bun.write(log, 'begin\n')
    let isDone = false
    const running = world.shelf(pipeline, push(folder))
    void running.result.finally(() => (isDone = true))
    while (!isDone) {
      await appendFile(log, 'more\n')
      await Bun.sleep(5)
    }
    const { code, out } = await running.result
    expect(code).toBe(7)
    expect(JSON.parse(out).error.message).toContain('z.log')
    expect(await readdir(join(world.cache, 'shelf/push')).catch(() => [])).toEqual([])
  })

  test('that are not as listed stop the push: 7', async () => {
    await mkdir(join(folder, 'dist'))
    await Bun.write(join(folder, 'dist/a.txt'), 'as listed')
    expect((await call(['files', 'dist'], { cwd: folder })).code).toBe(0)
    expect((await call(['files', 'dist', '--check'], { cwd: folder })).code).toBe(0)
    const listed = ['push', 'dist', ...PLATFORM, '--version', '1.0.0', '--files', 'shelf.files.json']
    expect((await call(listed, { cwd: folder })).code).toBe(0)
    await Bun.write(join(folder, 'dist/a.txt'), 'otherwise')
    expect((await call(['files', 'dist', '--check'], { cwd: folder })).code).toBe(7)
    expect((await call(listed, { cwd: folder })).code).toBe(7)
    await rm(join(folder, 'dist/a.txt'))
    expect((await call(listed, { cwd: folder })).code).toBe(7)
  })

  test('behind links that lead outside or nowhere stop the push: 7', async () => {
    await Bun.write(join(folder, 'a.txt'), 'a')
    await symlink('/etc/hostname', join(folder, 'outside'))
    expect((await call(push(folder))).code).toBe(7)
    await rm(join(folder, 'outside'))
    await symlink('nowhere', join(folder, 'broken'))
    expect((await call(push(folder))).code).toBe(7)
  })

  test('ten thousand small ones are one push, in little memory', async () => {
    for (let group = 0; group < 100; group += 1) {
      await mkdir(join(folder, `group ${group}`))
      for (let index = 0; index < 100; index += 1) {
        await Bun.write(join(folder, `group ${group}`, `file ${index}.json`), `{"value": ${group * index}}`)
      }
    }
    const running = world.shelf(pipeline, push(folder, '--wait'))
    const peak = watchPeakMemory(running.pid, running.result)
    expect(await readPush(running)).toMatchObject([{ scan: 'clean' }])
    expect(await peak).toBeLessThan(MEMORY_MAX_MB)
  })

  test('of 768 MB are packed and sent in little memory', async () => {
    const path = join(folder, 'huge.pck')
    await writeRandomFiles(folder, { 'huge.pck': 72 * MIB })
    await using handle = await open(path, 'r+')
    await handle.truncate(768 * MIB)
    const running = world.shelf(pipeline, push(folder))
    const peak = watchPeakMemory(running.pid, running.result)
    expect(await readPush(running)).toMatchObject([{ skipped: false }])
    expect(await peak).toBeLessThan(MEMORY_MAX_MB)
  })
})

/** Only root may mount a disk of its own. */
const disk = await createTempDir('full-disk')
const isMounted =
  Bun.which('mount') !== null &&
  (await Bun.spawn(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk.path], { stderr: 'ignore' })
    .exited) === 0
afterAll(async () => {
  if (isMounted) await Bun.spawn(['umount', '-l', disk.path]).exited
  await disk.remove()
})

test.skipIf(!isMounted)('a full disk ends the push with a sentence, and nothing stays behind', async () => {
  await writeRandomFiles(folder, { 'a.pck': 8 * MIB })
  const { code, err } = await call(push(folder), { env: { XDG_CACHE_HOME: disk.path } })
  expect(code).toBe(1)
  expect(err).toContain('disk is full')
  expect(await readdir(join(disk.path, 'shelf/push'))).toEqual([])
})

test('shelf.json describes builds, and init writes one', async () => {
  const made = await call(
    ['init', '--server', world.url, '--game', pipeline.game.vanityName, ...PLATFORM, '--path', 'dist'],
    { cwd: folder },
  )
  expect(made.code).toBe(0)
  expect((await call(['init', '--game', 'x'], { cwd: folder })).code).toBe(2)
  await mkdir(join(folder, 'dist/below'), { recursive: true })
  await Bun.write(join(folder, 'dist/below/a.txt'), 'a')
  const shown = await call(['push', '--dry-run'], { cwd: join(folder, 'dist/below') })
  expect(shown.out).toContain('linux.zip: 1 file')
  const pushed = await call(['push', '--changelog', 'First'], { cwd: folder })
  expect(pushed.out).toMatch(/^build_id [0-9a-f-]{36}\n$/)
  expect((await call(['push', '--quiet'], { cwd: folder })).err).toBe('')

  await Bun.write(join(folder, 'dist/.env'), 'TOKEN=secret')
  const safe = await call(['push', '--json'], { cwd: folder })
  expect(safe.err).toContain('.env was left out')
  const all = await call(['push', '--json', '--include-secrets'], { cwd: folder })
  expect(all.err).not.toContain('left out')
  const sizes = [safe, all].map(({ out }) => JSON.parse(out).builds[0].size as number)
  expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0)
  const listed = await call(['files', 'dist', '--dry-run', '--json'], { cwd: folder })
  expect(JSON.parse(listed.out)).toMatchObject({ left_out: ['.env'], files: [{ path: 'below/a.txt' }] })
})

test('the changes of a version in CHANGELOG.md, or those on the command line, are on its store page', async () => {
  const { uid, vanityName } = pipeline.game
  await world.server.deps.db.update(games).set({ visibility: 'invisible' }).where(eq(games.uid, uid))
  /** The page is told of a build, which may take longer than the answer to the uploader. */
  const readPage = async (change: string) =>
    await waitFor(
      `the page shows "${change}"`,
      async () => {
        const page = await (await fetch(`${world.url}/games/${vanityName}`)).text()
        return page.includes(change) && page
      },
      PROMPT_MS,
    )
  await mkdir(join(folder, 'dist'))
  await Bun.write(join(folder, 'dist/a.txt'), 'a')
  await Bun.write(
    join(folder, 'CHANGELOG.md'),
    '# Changes\n\n## 2.0.0\n\n- The lamp turns\n  Twice a minute.\n- Stars\n\n## 1.9.0\n\n- Oil\n',
  )
  const build = { os: 'linux', arch: 'x86_64', path: 'dist' }
  await Bun.write(
    join(folder, 'shelf.json'),
    JSON.stringify({ server: world.url, game: vanityName, changelog: 'CHANGELOG.md', builds: [build] }),
  )
  expect((await call(['push', '--version', '2.0.0', '--wait'], { cwd: folder })).code).toBe(0)
  const page = await readPage('Stars')
  for (const text of ['2.0.0', 'The lamp turns', 'Twice a minute.']) expect(page).toContain(text)
  expect(page).not.toContain('Oil')
  await Bun.write(join(folder, 'dist/a.txt'), 'b')
  const args = ['push', '--version', '2.1.0', '--changelog', 'A quieter foghorn', '--wait']
  expect((await call(args, { cwd: folder })).code).toBe(0)
  await readPage('A quieter foghorn')
})

test('verify tells the file of the store from any other: 0 and 8', async () => {
  await Bun.write(join(folder, 'a.txt'), 'a')
  const [built] = await readPush(world.shelf(pipeline, push(folder, '--wait', '--app', 'main')))
  const { db } = world.server.deps
  await db
    .update(games)
    .set({ visibility: 'public', publishedAt: new Date(), publicSince: new Date() })
    .where(eq(games.uid, pipeline.game.uid))
  const zips = await world.folder('zips')
  const file = join(zips, 'linux-x86_64.zip')
  const stored = await Array.fromAsync(new Bun.Glob(`**/*${built?.file_uid}*`).scan(world.server.dataDir))
  await Bun.write(file, Bun.file(join(world.server.dataDir, stored[0] ?? '')))
  const verify = ['verify', file, '--file', built?.file_uid ?? '', '--game', pipeline.game.vanityName]
  expect(await call(verify)).toMatchObject({ code: 0 })
  const { out } = await call(['verify', file])
  expect(out).toMatch(/\nChecked without an antivirus at \S+: clean; uploaded with a deploy key to stable\n/)
  const bytes = await Bun.file(file).bytes()
  bytes[40] = (bytes[40] ?? 0) ^ 1
  await Bun.write(file, bytes)
  expect((await call(verify)).code).toBe(8)
})

test('an infected build ends with 6', async () => {
  await Bun.write(join(folder, 'a.txt'), EICAR)
  const { code, out } = await call(push(folder, '--wait'))
  expect(code).toBe(6)
  expect(JSON.parse(out)).toMatchObject({ error: { exit: 6 } })
})

test('a zip is sent as it is, under its own name, and only where it changed', async () => {
  const zip = join(await world.folder('zips'), 'my game.zip')
  const pack = async () => {
    await rm(zip, { force: true })
    const files = (await readdir(folder))
      .sort()
      .map((name) => ({ name, body: Bun.file(join(folder, name)).stream() }))
    const parts = writeZip(files.map((file) => ({ ...file, modifiedAt: new Date() })))
    await Bun.write(zip, Buffer.concat(await Array.fromAsync(parts)))
  }
  await writeRandomFiles(folder, { 'a.pck': 5 * MIB, 'b.pck': 5 * MIB, 'c.pck': MIB })
  await pack()
  const [first] = await readPush(world.shelf(pipeline, push(zip, '--wait')))
  expect(first).toMatchObject({ scan: 'clean', size: Bun.file(zip).size, sent_bytes: Bun.file(zip).size })
  await writeRandomFiles(folder, { 'c.pck': MIB })
  await pack()
  const [second] = await readPush(world.shelf(pipeline, push(zip, '--wait')))
  expect(second).toMatchObject({ scan: 'clean', checksum: sha256Hex(await Bun.file(zip).bytes()) })
  expect(second?.sent_bytes).toBeLessThan(2 * MIB)
  const { files } = JSON.parse((await call(['status', '--json', second?.build_id ?? ''])).out)
  expect(files).toMatchObject([{ filename: 'my game.zip' }])
})

test('symbols and images of a build', async () => {
  await Bun.write(
    join(folder, 'deep/game.sym'),
    'MODULE Linux x86_64 6ADAC5A0F1E94A7FB2A3C1D0E5F607180 game\n',
  )
  const stored = await call(['symbols', folder, '--build', pipeline.build.uid])
  expect(stored).toMatchObject({ code: 0, out: '6ADAC5A0F1E94A7FB2A3C1D0E5F607180  game\n' })
  await Bun.write(join(folder, 'cover.png'), await drawPng(1280, 720))
  const image = await call(['images', '--cover', join(folder, 'cover.png'), '--json'])
  expect(JSON.parse(image.out)).toMatchObject({ images: [{ kind: 'cover' }] })
  expect((await call(['images'])).code).toBe(2)
})

test('wrong use is 2, an unknown build 4; help and completions name every command', async () => {
  expect((await call(['fly'])).code).toBe(2)
  expect((await call(['push', folder, '--version', '1'])).code).toBe(2)
  const unknown = await call(['status', crypto.randomUUID(), '--json'])
  expect(unknown.code).toBe(4)
  expect(JSON.parse(unknown.out)).toMatchObject({ error: { exit: 4, code: 4039 } })
  expect((await call(['get'])).err).toContain('See "shelf help get".')
  const options = (await call(['help', 'push'])).out.replace(/\s+/g, ' ')
  expect(options).toContain('the version of the engine')
  expect(options).not.toContain('shelf.json')
  const refused = await call(['push', folder, '--os', 'linux', '--arch', 'x86_64', '--channel', 'Bad One'])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('of a-z, 0-9, - and _') })
  const help = await call(['help'])
  for (const name of ['login', 'push', 'verify', 'completions']) expect(help.out).toContain(name)
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await call(['completions', shell])).out).toContain('if-changed')
})
