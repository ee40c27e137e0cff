import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Listing } from '../../src/features/catalog/pages/model.ts'
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts'
import { readData } from '../helpers/json.ts'
import { bearerOf, callTool } from '../helpers/mcp.ts'
import { asPerson, readCookies } from '../helpers/people.ts'
import { BUILD_FOLDER, shareBinaries } from '../helpers/processes/binaries.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'
import { obtainToken } from '../helpers/sign-in/oauth.ts'
import { waitFor } from '../helpers/wait.ts'

const ROOT = join(import.meta.dir, '../..')

let dir: Awaited<ReturnType<typeof createTempDir>>
let database: TestDatabase
let binary: string

beforeAll(async () => {
  dir = await createTempDir('binary')
  database = await createEmptyDatabase()
  binary = (await shareBinaries()).store
})

afterAll(async () => {
  await database.drop()
  await dir.remove()
})

const JSON_TYPE = { 'content-type': 'application/json' }

async function signIn(url: string): Promise<string> {
  const person = { name: 'Reader', email: 'reader@example.org', password: 'a long password' }
  const response = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: url },
    body: JSON.stringify(person),
  })
  expect(response.status).toBe(200)
  return readCookies(response)
}

/** Every page for players, with a listing of the demo. */
async function listPages(url: string): Promise<string[]> {
  const name = 'the-last-ferry'
  const listing = await readData<Listing>(await fetch(`${url}/api/v1/public/games/${name}`))
  const parts = ['', '/reviews', '/changelog', '/mods', '/press', '/report']
  return [
    '/',
    '/search',
    '/search?q=nothing-fits',
    '/rules',
    `/developers/${listing.developer.username}`,
    ...parts.map((part) => `/games/${name}${part}`),
    ...listing.files.map(({ file_uid }) => `/games/${name}/files/${file_uid}`),
    '/sign-in?client_id=x',
    '/forgot',
    '/verify',
    '/library',
    '/account',
    '/studio',
    '/dashboard/invites',
  ]
}

const env = () => ({ DATABASE_URL: database.url, SECRET_KEY: TEST_SECRET_KEY, PATH: '/usr/bin:/bin' })

describe('the binary, alone in an empty folder', () => {
  let folder: string
  beforeAll(async () => {
    folder = join(dir.path, 'empty')
    await mkdir(folder)
  })

  const call = async (...args: string[]) => {
    const child = Bun.spawn([binary, ...args], { cwd: folder, env: env(), stdout: 'pipe', stderr: 'pipe' })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { out, err, code }
  }

  test('knows its version and its commands', async () => {
    const { version } = await Bun.file(join(ROOT, 'package.json')).json()
    expect(await call('--version')).toMatchObject({ out: `${version}\n`, code: 0 })
    const { out, code } = await call('--help')
    expect(code).toBe(0)
    for (const name of ['serve', 'migrate', 'reindex', 'doctor', 'demo', 'backup', 'restore'])
      expect(out).toContain(name)
    expect((await call('fly')).code).toBe(2)
  })

  test('holds no path of the machine that built it', async () => {
    const modules = await realpath(join(ROOT, 'node_modules'))
    const { stdout } = Bun.spawnSync(['grep', '-c', '-a', '-e', BUILD_FOLDER, '-e', modules, binary])
    expect(stdout.toString().trim()).toBe('0')
  })

  test('reads no .env of the folder it runs in', async () => {
    await Bun.write(join(folder, '.env'), 'LOG_LEVEL=nonsense\n')
    expect((await call('migrate')).code).toBe(0)
    await rm(join(folder, '.env'))
  })

  test('migrates a Postgres, serves, and runs a job in its thread', async () => {
    const server: ChildServer = await startChild({ command: [binary, 'serve'], cwd: folder, env: env() })
    try {
      // On a busy machine a service may be too late for one look at it.
      await waitFor('all services answer', async () => (await fetch(`${server.url}/ready`)).status === 200)
      const signUp = await fetch(`${server.url}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({
          name: 'Binary User',
          email: 'binary@example.org',
          password: 'a long password',
        }),
      })
      expect(signUp.status).toBe(200)
      const me = await fetch(`${server.url}/api/v1/private/me`, { headers: { cookie: readCookies(signUp) } })
      expect(await readData(me)).toMatchObject({ username: 'binary-user' })
      await callAsAgent(server.url, readCookies(signUp))
      const mails = join(folder, '.data/mail')
      await waitFor('the mail job ran', async () =>
        (await readdir(mails).catch(() => [])).some((name) => name.endsWith('.eml')),
      )
      expect((await fetch(`${server.url}/docs`)).status).toBe(200)
      expect((await fetch(`${server.url}/api/v1/public/openapi.json`)).status).toBe(200)
    } finally {
      server.kill('SIGTERM')
    }
    expect(await server.exited).toBe(0)
  })

  /** The MCP library is loaded by the first call. */
  async function callAsAgent(url: string, cookie: string): Promise<void> {
    const server = {
      url,
      fetch: (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init }),
    }
    const person = asPerson(server, { uid: '', name: '', email: '', password: '', address: '', cookie })
    const { access_token } = await obtainToken(server, person, 'mcp:catalog.read')
    const { data } = await callTool(server, bearerOf(access_token), 'list_projects')
    expect(data).toMatchObject({ total: 0 })
  }

  test('serves every page with its styles and scripts', async () => {
    expect((await call('demo')).code).toBe(0)
    const server = await startChild({ command: [binary, 'serve'], cwd: folder, env: env() })
    try {
      const cookie = await signIn(server.url)
      const assets = new Set<string>()
      for (const path of await listPages(server.url)) {
        const response = await fetch(server.url + path, { headers: { accept: 'text/html', cookie } })
        const text = await response.text()
        expect({ path, status: response.status }).toEqual({ path, status: 200 })
        expect(text).toContain(' · Playshelf</title>')
        for (const [, asset = ''] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) assets.add(asset)
      }
      expect(assets.size).toBeGreaterThan(3)
      for (const path of [...assets, '/favicon.svg', '/sitemap.xml', '/robots.txt', '/feed.xml']) {
        const response = await fetch(server.url + path)
        const size = (await response.text()).length
        expect({ path, status: response.status, isEmpty: size === 0 }).toEqual({
          path,
          status: 200,
          isEmpty: false,
        })
      }
      expect((await fetch(`${server.url}/nothing`, { headers: { accept: 'text/html' } })).status).toBe(404)
    } finally {
      server.kill('SIGTERM')
    }
    expect(await server.exited).toBe(0)
  })

  test('doctor finds all well', async () => {
    const { out, code } = await call('doctor')
    expect(out).toContain('All is well.')
    expect(code).toBe(0)
  })

  test('without a database says what to set', async () => {
    const child = Bun.spawn([binary, 'serve'], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', PORT: '0' },
      stderr: 'pipe',
    })
    expect(await child.exited).toBe(1)
    expect(await child.stderr.text()).toContain('set DATABASE_URL')
  })
})
