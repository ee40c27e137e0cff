import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { parse } from 'yaml'

import { type App, createApp } from '../../../src/app.ts'
import { createRecentRequests } from '../../../src/features/operate/status/recent-requests.ts'
import { type Document, METHODS } from '../../../src/http/openapi/types.ts'
import { buildFullDocument, createCheckedFetch } from '../../helpers/cases/answers.ts'
import { readJson } from '../../helpers/json.ts'
import { signUp } from '../../helpers/people.ts'
import { startTestServer } from '../../helpers/server.ts'
import { findMisplaced } from '../../helpers/site/nesting.ts'
import { useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const ROOT = join(import.meta.dir, '../../..')
const JSON_PATH = '/api/v1/public/openapi.json'
const YAML_PATH = '/api/v1/public/openapi.yaml'
const PUBLIC = /^\/(api\/v1\/(public|extstore|games|player)\/|health$|ready$)/

const server = useStore()
let app: App
let document: Document
beforeAll(async () => {
  const composed = await createApp(server.deps, {
    isStopping: () => false,
    isStuck: () => false,
    recent: createRecentRequests(),
  })
  app = composed.app
  document = await readJson<Document>(await server.fetch(JSON_PATH))
})

function listOperations() {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : []
    }),
  )
}

describe('the document', () => {
  test('holds every public route and nothing else', () => {
    const routes = app.routes
      // Editors leave a segment of some addresses empty, which no document can describe.
      .filter(({ path }) => PUBLIC.test(path) && !path.includes('//'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(routes).toContain(`GET ${JSON_PATH}`)
    expect(
      listOperations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(routes.sort())
  })

  test('says of each operation what it is for, who may use it and what an answer looks like', () => {
    const tags = new Set(document.tags.map(({ name }) => name))
    const faults = listOperations().filter(({ operation }) => {
      const { summary, description, responses } = operation
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2') || status === '302')
      const shown = good.every(
        ([status, answer]) => status === '302' || JSON.stringify(answer).includes('"example'),
      )
      const isTagged = operation.tags.length > 0 && operation.tags.every((tag) => tags.has(tag))
      return !(summary && description && isTagged && good.length > 0 && shown && '400' in responses)
    })
    expect(faults.map(({ name }) => name)).toEqual([])
    expect(document.tags.filter(({ description }) => !description)).toEqual([])
  })

  test('has an operation id for each operation, keeps our own keys to itself and names the store', () => {
    const ids = listOperations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(JSON.stringify(document)).not.toContain('"x-')
    expect(document.servers.map(({ url }) => url)).toEqual([server.deps.config.baseUrl])
  })

  test('is the same in JSON and YAML, for readers of any YAML version', async () => {
    const answer = await server.fetch(YAML_PATH)
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('application/yaml')
    expect(Bun.YAML.parse(text)).toEqual(document)
    expect(parse(text)).toEqual(document)
    expect(parse(text, { version: '1.1' })).toEqual(document)
  })

  test.each([JSON_PATH, YAML_PATH])('%s is cached by its ETag and counted', async (path) => {
    const first = await server.fetch(path)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=60, must-revalidate')
    expect(first.headers.get('ratelimit-limit')).toBe('120')
    const second = await server.fetch(path, { headers: { 'if-none-match': etag } })
    expect(second.status).toBe(304)
    expect(second.headers.get('etag')).toBe(etag)
    expect(await second.text()).toBe('')
  })

  test('refuses a bad credential like every public route', async () => {
    const answer = await server.fetch(JSON_PATH, { headers: { authorization: 'Bearer svc_play_wrong' } })
    expect(answer.status).toBe(401)
  })

  test.each(['openapi.json', 'openapi.yaml'])('%s passes the linter without a warning', async (name) => {
    const dir = await mkdtemp(join(tmpdir(), 'playshelf-openapi-'))
    try {
      const file = join(dir, name)
      await Bun.write(file, await server.fetch(`/api/v1/public/${name}`))
      expect(await lint(file)).toEqual({ problems: [], totals: { errors: 0, warnings: 0, ignored: 0 } })
    } finally {
      await rm(dir, { recursive: true })
    }
  })
})

test('answers fit the document, private ones too', async () => {
  const fetch = createCheckedFetch(server.fetch, buildFullDocument(app))
  const paths = ['/health', JSON_PATH, YAML_PATH, '/docs', '/api/v1/private/me', '/api/v1/public/no']
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(path)).status))
  expect(statuses).toEqual([200, 200, 200, 200, 401, 404])
  // On a busy machine a service may be too late for a moment.
  await waitFor('ready', async () => (await fetch('/ready')).status === 200)
})

test('the document of all routes is the same whatever the settings', async () => {
  const other = await startTestServer({
    TRUST_PROXY: '1',
    BASE_URL: 'https://store.example',
    STORAGE_RESERVE: '1GB',
  })
  try {
    expect(buildFullDocument(other.app)).toEqual(buildFullDocument(app))
  } finally {
    await other.stop()
  }
})

test('the API catalog links descriptions and reference, and every link answers', async () => {
  const answer = await server.fetch('/.well-known/api-catalog')
  expect(answer.headers.get('content-type')).toStartWith('application/linkset+json')
  const { linkset } = await readJson<{ linkset: Record<string, { href: string; type: string }[]>[] }>(answer)
  const { 'service-desc': descriptions = [], 'service-doc': pages = [] } = linkset[0] ?? {}
  const links = [...descriptions, ...pages]
  expect(links.map(({ href }) => new URL(href).pathname)).toEqual([JSON_PATH, YAML_PATH, '/docs'])
  const served = await Promise.all(links.map(({ href }) => server.fetch(new URL(href).pathname)))
  expect(served.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual(
    links.map(({ type }) => type),
  )
})

describe('the reference page', () => {
  test('shows every operation', async () => {
    const page = await (await server.fetch('/docs')).text()
    const missing = listOperations().filter(
      ({ operation }) => !page.includes(`id="${operation.operationId}"`),
    )
    expect(missing).toEqual([])
  })

  test('has every target of its links once, and no block inside a line', async () => {
    const page = await (await server.fetch('/docs')).text()
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].flatMap((match) => match[1] ?? [])
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].flatMap((match) => match[1] ?? [])
    expect(ids).toEqual([...new Set(ids)])
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
    expect(findMisplaced(page)).toEqual([])
  })

  test('follows the theme of the reader, and shows a signed-in reader their menu', async () => {
    const dark = await server.fetch('/docs', { headers: { cookie: 'playshelf.theme=dark' } })
    expect(await dark.text()).toContain('<html lang="en" data-theme="dark">')
    expect(dark.headers.get('cache-control')).toContain('max-age=60')
    const reader = await signUp(server)
    const own = await server.fetch('/docs', { headers: { cookie: reader.cookie } })
    expect(await own.text()).toContain('id="user-menu"')
    expect(own.headers.get('cache-control')).toBe('private, no-store')
  })

  test('loads nothing from elsewhere and nothing inline', async () => {
    const answer = await server.fetch('/docs')
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; font-src 'self'; manifest-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    const page = await answer.text()
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/i)
    const loaded = [...page.matchAll(/<(?:script|link rel="stylesheet"|img)[^>]*?(?:src|href)="([^"]+)"/g)]
    const paths = loaded.flatMap((match) => match[1] ?? [])
    expect(paths).toHaveLength(3)
    for (const path of paths) {
      const asset = await server.fetch(path)
      expect(asset.status).toBe(200)
      expect(asset.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  })
})

interface LintReport {
  problems: unknown[]
  totals: { errors: number; warnings: number; ignored: number }
}

async function lint(file: string): Promise<LintReport> {
  const cli = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
  const config = join(ROOT, 'infra/lint/redocly.yaml')
  const child = Bun.spawn([process.execPath, cli, 'lint', '--config', config, '--format', 'json', file], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const { problems, totals }: LintReport = JSON.parse(await child.stdout.text())
  return { problems, totals }
}
