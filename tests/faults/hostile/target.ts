import postgres from 'postgres'

import { readData } from '../../helpers/json.ts'
import { randomAddress, readCookies } from '../../helpers/people.ts'
import { hostileSymbols } from './symbols.ts'

/** A running server, with what the honest people and the enemy need to know about it. */
export interface Target {
  url: string
  pid: number
  databaseUrl: string
  /** Vanity names of public listings. */
  games: readonly string[]
  /** Honest people, each with an account and an address of their own. */
  visitors: readonly Account[]
  visitor: Account & { playerKey: string }
  developer: Developer
  enemy: Developer
}

export interface Account {
  cookie: string
  address: string
}

export interface Developer extends Account {
  gameUid: string
  buildId: string
  deployKey: Record<string, string>
}

export interface Server {
  url: string
  pid: number
  databaseUrl: string
}

export interface Receivers {
  /** Where webhooks of the honest developer arrive. */
  honest: string
  /** Accepts connections and never responds. */
  silent: string
}

/** As long as a description may be. */
const LONG_TEXT = 'A *long* **text** with [links](https://example.org/a?b=c) and `code`.\n\n- one\n- two\n\n'
  .repeat(700)
  .slice(0, 50_000)
const WEBHOOKS_MAX = 5
const VISITORS = 20
const REPORTS_MAX = 10_000

/** Signs up an honest visitor, an honest developer and the enemy, who is a developer with slow webhooks. */
export async function prepareTarget(server: Server, receivers: Receivers): Promise<Target> {
  const found = await fetch(`${server.url}/api/v1/public/search?page_size=50`)
  const { items } = await readData<{ items: { vanity_name: string }[] }>(found)
  const [visitor, developer, enemy] = await Promise.all(
    (['visitor', 'developer', 'enemy'] as const).map((name) => signUp(server.url, name)),
  )
  if (!visitor || !developer || !enemy) throw new Error('Nobody could sign up')
  const visitors = await Promise.all(
    Array.from({ length: VISITORS }, (_, number) => signUp(server.url, 'visitor', `10.${1 + number}.1.1`)),
  )
  await verifyEmails(server.databaseUrl)
  const key = await call(server.url, visitor, 'POST', '/api/v1/private/player-keys', {
    label: 'Game',
    scopes: ['player:bugs'],
  })
  const silent = Array.from({ length: WEBHOOKS_MAX }, (_, number) => `${receivers.silent}/${number}`)
  const target = {
    ...server,
    games: items.map((item) => item.vanity_name),
    visitors,
    visitor: { ...visitor, playerKey: (await readData<{ key: string }>(key)).key },
    developer: await becomeDeveloper(server.url, developer, [receivers.honest]),
    enemy: await becomeDeveloper(server.url, enemy, silent),
  }
  await sendSymbols(target)
  return target
}

async function becomeDeveloper(url: string, account: Account, webhooks: string[]): Promise<Developer> {
  await call(url, account, 'PATCH', '/api/v1/private/me', { developer_mode: true })
  const game = await call(url, account, 'POST', '/api/v1/private/games', {
    name: 'Siege',
    asset_type: 'game',
    description: LONG_TEXT,
  })
  const { uid: gameUid } = await readData<{ uid: string }>(game)
  const base = `/api/v1/private/games/${gameUid}`
  const key = await call(url, account, 'POST', `${base}/deploy-keys`, {})
  const { access_token, secret_key } = await readData<{ access_token: string; secret_key: string }>(key)
  const deployKey = { 'x-access-token': access_token, 'x-secret-key': secret_key }
  const registration = { version: '1.0.0', os: 'linux', arch: 'x86_64', channel: 'dev' }
  const build = await call(url, account, 'POST', '/api/v1/tool/upload/build', registration, deployKey)
  const { build_id: buildId } = await readData<{ build_id: string }>(build)
  const reporter = { enabled: true, daily_cap: REPORTS_MAX, webhook_urls: webhooks }
  await call(url, account, 'PUT', `${base}/bug-reporter`, reporter)
  return { ...account, gameUid, buildId, deployKey }
}

async function sendSymbols({ url, enemy }: Target): Promise<void> {
  const body = new FormData()
  body.append('build_id', enemy.buildId)
  body.append('file', new File([hostileSymbols()], 'game.sym'))
  const response = await fetch(`${url}/api/v1/tool/upload/symbols`, {
    method: 'POST',
    body,
    headers: { ...enemy.deployKey, 'x-forwarded-for': enemy.address },
  })
  if (!response.ok) throw new Error(`The symbols were refused: ${await response.text()}`)
}

async function signUp(url: string, name: string, address = randomAddress()): Promise<Account> {
  const email = `${name}-${crypto.randomUUID()}@example.org`
  const body = { name, email, password: `password of ${email}` }
  const response = await call(url, { address, cookie: '' }, 'POST', '/api/auth/sign-up/email', body)
  return { cookie: readCookies(response), address }
}

async function call(
  url: string,
  account: Account,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { cookie, address } = account
  const response = await fetch(url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      origin: url,
      'x-forwarded-for': address,
      ...(cookie && { cookie }),
      ...headers,
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
  return response
}

async function verifyEmails(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  await sql`update users set email_verified = true`
  await sql.end()
}
