import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Writes what others see of the demo store into a folder: the API's description, the tools of agents, and the pages of a
 * guest, a player, a developer and an operator, without what differs from run to run. Two versions are compared with
 * `diff -r`: `bun infra/scripts/surface.ts --root ../before before`, `bun infra/scripts/surface.ts after`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: join(import.meta.dir, '../..') } },
})
const [out] = positionals
if (!out) throw new Error('Name the folder to write to: bun infra/scripts/surface.ts <folder>')

const PAGES_MAX = 2000
const PORT = /(localhost|127\.0\.0\.1)(:|%3A)\d+/g
/** On a busy machine the demo takes minutes to load, and a store that is stopped meanwhile still says that it runs. */
const START_MS = 900_000
/** Until the worker has filled the shelves, which it does every minute. */
const SETTLE_MS = 75_000
const OPERATOR = 'jam@demo.example'
const PEOPLE = {
  guest: null,
  player: 'player@demo.example',
  developer: 'studio@demo.example',
  operator: OPERATOR,
}
const SEEDS = [
  '/',
  '/search?q=light',
  '/search?tags=cozy&exclude_genres=horror&sort=newest',
  '/search?q=nothing-like-this',
  '/studio',
  '/account',
  '/library',
  '/operate',
  '/docs',
  '/missing-page',
]
const REDIRECT = 'http://127.0.0.1:39999/callback'

const dataDir = await mkdtemp(join(tmpdir(), 'playshelf-surface-'))
const child = Bun.spawn(['bun', 'src/main.ts', 'up'], {
  cwd: values.root,
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    OPERATORS: OPERATOR,
    TRUST_PROXY: '1',
    STORAGE_RESERVE: '0',
    LOG_LEVEL: 'error',
  },
  stdout: 'pipe',
  stderr: 'inherit',
})
try {
  const { url, password } = await readStart(child.stdout)
  await Bun.sleep(SETTLE_MS)
  const base = url.replace('localhost', '127.0.0.1')
  const host = new URL(url).host
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(base + path, {
      redirect: 'manual',
      ...init,
      headers: {
        host,
        origin: url,
        'x-forwarded-for': `10.${below(256)}.${below(256)}.${below(256)}`,
        ...(init.headers as Record<string, string>),
      },
    })
  await write('openapi.json', sortedJson(await (await ask('/api/v1/public/openapi.json')).json()))
  for (const [name, email] of Object.entries(PEOPLE)) {
    const cookie = email === null ? '' : await signIn(ask, email, password)
    const count = await crawl(ask, name, cookie)
    console.log(`${name}: ${count} pages`)
    if (name === 'developer') await write('tools.json', sortedJson(await listTools(ask, url, cookie)))
  }
} finally {
  child.kill('SIGTERM')
  await child.exited
  await rm(dataDir, { recursive: true, force: true })
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

function below(max: number): number {
  return Math.floor(Math.random() * max)
}

/** Reads on afterwards: a program whose output is closed ends at its next line. */
async function readStart(stream: ReadableStream<Uint8Array>): Promise<{ url: string; password: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; password: string }>()
  const timer = setTimeout(() => child.kill(), START_MS)
  void (async () => {
    let text = ''
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text += part
      const url = /Playshelf runs at (\S+)/.exec(text)?.[1]
      const password = /@demo\.example\s+(\S+)/.exec(text)?.[1]
      if (url && password) {
        clearTimeout(timer)
        resolve({ url, password })
      }
    }
    reject(new Error(`The store did not start:\n${text}`))
  })()
  return await promise
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

async function signIn(ask: Ask, email: string, password: string): Promise<string> {
  const answer = await ask('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`${email} could not sign in: ${await answer.text()}`)
  return cookiesOf(answer)
}

async function crawl(ask: Ask, name: string, cookie: string): Promise<number> {
  const waiting = [...SEEDS]
  const seen = new Set(waiting)
  let count = 0
  for (let path = waiting.shift(); path !== undefined && count < PAGES_MAX; path = waiting.shift()) {
    const answer = await ask(path, { headers: { cookie, accept: 'text/html' } })
    const type = answer.headers.get('content-type') ?? ''
    const text = type.startsWith('text/html') ? await answer.text() : ''
    const head = [answer.status, answer.headers.get('location') ?? '', type].join(' ')
    const file = decodeURIComponent(path).replaceAll(/[^\w.-]+/g, '_')
    await write(`${name}/${generalise(file)}.html`, generalise(`${head}\n${text.replaceAll('><', '>\n<')}\n`))
    count += 1
    for (const [, link = ''] of text.matchAll(/href="(\/[^"#?]*)["#]/g)) {
      if (seen.has(link) || /\.\w{2,5}$|^\/(media|assets|api|download|play)\b|sign-out/.test(link)) continue
      seen.add(link)
      waiting.push(link)
    }
  }
  return count
}

/** Without ids, times, hashes and signatures. */
function generalise(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '{uid}')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
    .replaceAll(/[0-9a-f]{64}/g, '{sha256}')
    .replaceAll(/\b[0-9a-f]{16,40}\b/g, '{hash}')
    .replaceAll(/([./-])(?=[0-9a-f]*\d)[0-9a-f]{8}(?=\.)/g, '$1{hash}')
    .replaceAll(PORT, '$1$2{port}')
    .replaceAll(/(data-countdown="[^"]*") data-now="\d+">[^<]*/g, '$1>')
    .replaceAll(/\?ticket=[^"&]*/g, '?ticket={ticket}')
    .replaceAll(/\d\d:\d\d( UTC)?/g, '{clock}')
    .replaceAll(/[?&](Expires|Signature|expires|signature|X-Amz-\w+)=[^"&]*/g, '')
}

/** Connects as a program does: registration, consent, code, token. */
async function listTools(ask: Ask, url: string, cookie: string): Promise<unknown> {
  const json = { 'content-type': 'application/json' }
  const registered = await ask('/api/auth/oauth2/register', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      client_name: 'Surface',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const described = await ask('/.well-known/oauth-protected-resource/mcp')
  const { scopes_supported } = (await described.json()) as { scopes_supported: string[] }
  const verifier = crypto.randomUUID() + crypto.randomUUID()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    scope: scopes_supported.filter((scope) => scope.startsWith('mcp:')).join(' '),
    state: 'x',
    resource: `${url}/mcp`,
    code_challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await ask(`/api/auth/oauth2/authorize?${query.toString()}`, { headers: { cookie } })
  const page = new URL(asked.headers.get('location') ?? '', url)
  const consent = await ask('/api/auth/oauth2/consent', {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({ accept: true, oauth_query: page.search.slice(1) }),
  })
  const answer = (await consent.json()) as { url?: string }
  if (!answer.url) throw new Error(`No consent: ${JSON.stringify(answer)} ${page.href}`)
  const token = await ask('/api/auth/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(answer.url).searchParams.get('code') ?? '',
      client_id,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      resource: `${url}/mcp`,
    }).toString(),
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const listed = await ask('/mcp', {
    method: 'POST',
    headers: {
      ...json,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${access_token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  return await listed.json()
}

function sortedJson(value: unknown): string {
  const sort = (_: string, part: unknown): unknown =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part
  return `${JSON.stringify(value, sort, 1)}\n`.replaceAll(PORT, '$1$2{port}')
}

async function write(name: string, text: string): Promise<void> {
  const path = join(out ?? '', name)
  await mkdir(dirname(path), { recursive: true })
  await Bun.write(path, text)
}
