import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Ajv2020 from 'ajv/dist/2020.js'

import { quotePs1, quoteSh, writeInstallSh } from '../../../src/features/installers/install-scripts.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

const TARGET = `linux-${process.arch}`
const PROGRAM = '#!/bin/sh\necho "I am shelf"\n'

let server: TestServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playshelf cli '))
  server = await startTestServer({ CLI_DIR: join(folder, 'offered') })
  await Bun.write(join(folder, 'offered', `shelf-${TARGET}`), PROGRAM)
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const get = async (path: string, init?: RequestInit) => await fetch(server.url + path, init)

/** As `curl … | sh` does. */
async function install(script: string, env: Record<string, string>) {
  const child = Bun.spawn(['sh'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: new Blob([script]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe('the uploader of a store', () => {
  test('is served with its checksum', async () => {
    const answer = await get(`/cli/${TARGET}`)
    expect(answer.headers.get('content-disposition')).toStartWith('attachment; filename="shelf"')
    expect(answer.headers.get('etag')).toBe(`"${sha256Hex(PROGRAM)}"`)
    expect(await answer.text()).toBe(PROGRAM)
    const sum = await get(`/cli/${TARGET}.sha256`)
    expect(await sum.text()).toBe(`${sha256Hex(PROGRAM)}  shelf-${TARGET}\n`)
  })

  test('is not sent again to those who have this version', async () => {
    const answer = await get(`/cli/${TARGET}`, { headers: { 'if-none-match': `"${sha256Hex(PROGRAM)}"` } })
    expect([answer.status, await answer.text()]).toEqual([304, ''])
  })

  test('can be replaced without a restart', async () => {
    const file = join(folder, 'offered', 'shelf-darwin-x64')
    for (const text of ['the first', 'the second one']) {
      await Bun.write(file, text)
      const sum = await (await get('/cli/darwin-x64.sha256')).text()
      expect(sum).toBe(`${sha256Hex(text)}  shelf-darwin-x64\n`)
    }
  })

  test('that the store does not have is a plain 404 that says what to do', async () => {
    for (const accept of ['*/*', 'text/html']) {
      const answer = await get('/cli/windows-arm64', { headers: { accept } })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toStartWith('text/plain')
      const text = await answer.text()
      for (const part of ['windows-arm64', 'shelf-windows-arm64.exe', 'CLI_DIR', 'bun src/cli/main.ts']) {
        expect(text).toContain(part)
      }
    }
  })

  test.each(['amiga', '..%2fplayshelf', 'linux-x64.sha256.sha256'])(
    'for %s there is none',
    async (target) => {
      const answer = await get(`/cli/${target}`)
      expect(answer.status).toBe(404)
      await answer.text()
    },
  )
})

describe('install.sh', () => {
  test('installs a program that runs, over an earlier one, into a folder with spaces', async () => {
    const home = join(folder, 'a home')
    const target = join(home, '.local', 'bin', 'shelf')
    await Bun.write(target, 'an old version')
    const script = await (await get('/install.sh')).text()
    const { out, code } = await install(script, { HOME: home })
    expect(code).toBe(0)
    expect(out).toContain(`shelf is installed: ${target}`)
    expect(out).toContain('Add it to your PATH')
    expect((await stat(target)).mode & 0o777).toBe(0o755)
    expect(await Bun.$`${target}`.text()).toBe('I am shelf\n')
    const bin = await Array.fromAsync(new Bun.Glob('**').scan({ cwd: join(home, '.local/bin'), dot: true }))
    expect(bin).toEqual(['shelf'])
  })

  test('installs where SHELF_INSTALL_DIR says', async () => {
    const SHELF_INSTALL_DIR = join(folder, 'elsewhere')
    const script = await (await get('/install.sh')).text()
    const path = `${SHELF_INSTALL_DIR}:${process.env.PATH ?? ''}`
    const { out, code } = await install(script, { HOME: folder, SHELF_INSTALL_DIR, PATH: path })
    expect({ out, code }).toMatchObject({ code: 0, out: expect.stringContaining('shelf login') })
    expect(await Bun.file(join(SHELF_INSTALL_DIR, 'shelf')).text()).toBe(PROGRAM)
  })

  test('installs nothing when the checksum is wrong, or the store has no binary', async () => {
    using other = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.endsWith('.sha256') ? new Response(`${sha256Hex('other')}  shelf\n`) : new Response(PROGRAM),
    })
    using empty = Bun.serve({ port: 0, fetch: () => new Response('', { status: 404 }) })
    for (const [{ port }, reason] of [
      [other, 'the checksum of the download is wrong'],
      [empty, `has no shelf for ${TARGET}`],
    ] as const) {
      const HOME = join(folder, `home-${port}`)
      const { err, code } = await install(writeInstallSh(`http://127.0.0.1:${port}`), { HOME })
      expect({ err, code }).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
      const files = await Array.fromAsync(new Bun.Glob('**').scan({ cwd: HOME, dot: true }))
      expect(files).toEqual([])
    }
  })

  test('does nothing when it was cut off', async () => {
    const script = writeInstallSh(server.url)
    const cut = script.slice(0, script.indexOf('  chmod'))
    const { code } = await install(cut, { HOME: join(folder, 'cut') })
    expect(code).not.toBe(0)
    expect(await Bun.file(join(folder, 'cut', '.local')).exists()).toBe(false)
  })
})

describe('addresses in scripts', () => {
  const NASTY = `http://a'; touch /tmp/x; $(id) \`id\` "$HOME" \\ 'b`

  test('are literals of a shell', async () => {
    const { out } = await install(`printf %s ${quoteSh(NASTY)}`, {})
    expect(out).toBe(NASTY)
  })

  test('are literals of PowerShell', async () => {
    expect(quotePs1(`a'b’c$(id)`)).toBe(`'a''b’’c$(id)'`)
    const script = await (await get('/install.ps1')).text()
    expect(script).toContain(`$store = '${server.deps.config.baseUrl}'`)
  })
})

test('the schema of shelf.json is served for editors', async () => {
  const answer = await get('/schemas/shelf.json')
  expect(answer.headers.get('content-type')).toBe('application/schema+json')
  const schema: unknown = await answer.json()
  expect(schema).toMatchObject({ $id: `${server.deps.config.baseUrl}/schemas/shelf.json` })
  const validate = new Ajv2020({ strict: false }).compile(schema as object)
  const builds = [{ os: 'linux', arch: 'x86_64', path: 'dist/linux' }]
  expect(validate({ server: 'https://store.example', version: { git: true }, builds })).toBe(true)
  expect(validate({ version: '1.0.0', builds: [] })).toBe(false)
})
