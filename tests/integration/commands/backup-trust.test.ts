import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'

import { packTar, readTar, type TarInput } from '../../../src/lib/bytes/tar.ts'
import { readData } from '../../helpers/json.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { createDataFolder } from '../../helpers/processes/data-folder.ts'
import { runProgram, startProgram } from '../../helpers/processes/embedded-program.ts'
import { addApp } from '../../helpers/sign-in/factors.ts'

/** Bits of CapEff in /proc. */
const NONE = 0
const READ_SEARCH = 4

let dir: string
let source: string
let archive: string
let marker: string
let owner: Person
/** What only the person may know. */
let secrets: string[]
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-trust-'))
  await chmod(dir, 0o755)
  source = join(dir, 'source')
  archive = join(dir, 'good.backup')
  marker = join(dir, 'marker')
  await createDataFolder(source)
  await signUpThere()
  expect(await runProgram(source, ['backup', archive])).toMatchObject({ code: 0 })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function signUpThere(): Promise<void> {
  await using program = await startProgram(source)
  const { url } = program
  owner = await signUp({ url, fetch: (path, init) => fetch(url + path, init) })
  const { secret, recoveryCodes } = await addApp(owner)
  const { key } = await readData<{ key: string }>(
    await owner.json('POST', '/api/v1/private/player-keys', { label: 'Laptop' }),
  )
  const typed = recoveryCodes.map((code) => code.replaceAll('-', ''))
  secrets = [owner.password, secret, ...recoveryCodes, ...typed, key]
}

interface Change {
  add?: Record<string, string>
  format?: number
}

/** What somebody with access to the stored archive can make of it. */
async function tamper(name: string, { add = {}, format }: Change): Promise<string> {
  const path = join(dir, name)
  const unpacked = Bun.file(archive).stream().pipeThrough(new DecompressionStream('zstd'))
  const tar = Buffer.concat(await Array.fromAsync(packTar(members(unpacked))))
  await writeFile(path, Bun.zstdCompressSync(tar))
  return path

  async function* members(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarInput> {
    for await (const { body, ...entry } of readTar(bytes)) {
      const content = Buffer.concat(await Array.fromAsync(body))
      const isManifest = entry.name === 'manifest.json' && format !== undefined
      const text = isManifest
        ? Buffer.from(content.toString().replace(/"format": \d+/, `"format": ${format}`))
        : content
      if (!(entry.name in add)) yield { ...entry, size: text.length, body: [text] }
    }
    for (const [file, text] of Object.entries(add)) {
      const body = Buffer.from(text)
      yield { name: file, kind: 'file', size: body.length, mode: 0o600, mtime: 0, body: [body] }
    }
  }
}

const settings = () => ({
  'postgres/data/postgresql.auto.conf': `archive_mode = on\narchive_timeout = 1\narchive_command = 'touch ${marker}'\n`,
})

async function restore(file: string, options: string[], env: Record<string, string> = {}) {
  const target = join(dir, `restored-${crypto.randomUUID()}`)
  return { target, ...(await runProgram(target, ['restore', file, ...options], env)) }
}

const keyOf = (folder: string) => ['--key-file', join(folder, 'secret-key')]

describe('an archive', () => {
  test('does not contain the key that signs it', async () => {
    const names: string[] = []
    const bytes = Bun.file(archive).stream().pipeThrough(new DecompressionStream('zstd'))
    for await (const member of readTar(bytes)) names.push(member.name)
    expect(names).toContain('postgres/data/PG_VERSION')
    expect(names.filter((name) => /secret-key|\.conf$/.test(name))).toEqual([])
  })

  test('holds what people sign in with encrypted or hashed', async () => {
    const found = new Set<string>()
    const bytes = Bun.file(archive).stream().pipeThrough(new DecompressionStream('zstd'))
    for await (const { body } of readTar(bytes)) {
      const content = Buffer.concat(await Array.fromAsync(body))
      for (const text of [owner.email, ...secrets]) if (content.indexOf(text) !== -1) found.add(text)
    }
    expect([...found]).toEqual([owner.email])
  })

  test('is restored with the key of its store only, from a file or the environment', async () => {
    const without = await restore(archive, [])
    expect(without).toMatchObject({ code: 1 })
    expect(without.text).toContain('set SECRET_KEY, or name a copy of its file secret-key with --key-file')
    const other = await restore(archive, [], { SECRET_KEY: 'k'.repeat(40) })
    expect(other).toMatchObject({ code: 1 })
    expect(other.text).toContain('another SECRET_KEY')
    expect(await readdir(dir)).not.toContain(other.target)

    const key = (await readFile(join(source, 'secret-key'), 'utf8')).trim()
    expect(await restore(archive, [], { SECRET_KEY: key })).toMatchObject({ code: 0 })
    const rotated = { SECRET_KEY: 'k'.repeat(40), SECRET_KEY_PREVIOUS: key }
    expect(await restore(archive, [], rotated)).toMatchObject({ code: 0 })
    const { target } = await restore(archive, keyOf(source))
    expect(await readFile(join(target, 'secret-key'), 'utf8')).toBe(key)
  })

  test('with settings that run programs is refused', async () => {
    const changed = await tamper('changed.backup', { add: settings() })
    const answer = await restore(changed, keyOf(source))
    expect(answer).toMatchObject({ code: 1 })
    expect(answer.text).toContain('no signature')
    const unverified = await restore(changed, ['--unverified'])
    expect(unverified).toMatchObject({ code: 1 })
    expect(unverified.text).toContain('postgresql.auto.conf')
  })

  test('of the first format has its settings replaced, so that they run nothing', async () => {
    const old = await tamper('old.backup', { add: settings(), format: 1 })
    const { target, code } = await restore(old, ['--unverified'])
    expect(code).toBe(0)
    await using program = await startProgram(target)
    const sql = postgres(program.databaseUrl, { max: 1 })
    const [row] = await sql`select current_setting('archive_command') as command`
    await sql`select pg_switch_wal()`
    await sql.end()
    expect(row?.command).toBe('(disabled)')
    expect(await Bun.file(marker).exists()).toBe(false)
  })
})

describe.if(process.getuid?.() === 0)('started by root', () => {
  async function readCapabilities(folder: string): Promise<number> {
    const pid = (await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number.parseInt(/CapEff:\s+(\w+)/.exec(status)?.[1] ?? '', 16)
  }

  test('the embedded Postgres has no capability', async () => {
    await using program = await startProgram(source)
    expect(program.url).toStartWith('http')
    expect(await readCapabilities(source)).toBe(NONE)
  })

  test('in a folder that only root may enter, it may pass and read, but not write', async () => {
    const closed = join(dir, 'closed')
    await mkdir(closed, { mode: 0o700 })
    await using program = await startProgram(closed)
    expect(program.url).toStartWith('http')
    expect(await readCapabilities(closed)).toBe(READ_SEARCH)
  })
})
