import postgres from 'postgres'

import { readData } from '../../helpers/json.ts'
import { randomAddress, readCookies } from '../../helpers/people.ts'

/** A running server, with what the honest visitors and the enemy need to know about it. */
export interface Target {
  url: string
  pid: number
  databaseUrl: string
  /** Vanity names of public listings. */
  games: readonly string[]
  visitor: Account
  enemy: Account & { gameUid: string; buildId: string; deployKey: Record<string, string> }
}

export interface Account {
  cookie: string
  address: string
}

/** Signs an honest visitor and the enemy up; the enemy also has a listing and a deploy key of its own. */
export async function prepareTarget(server: {
  url: string
  pid: number
  databaseUrl: string
}): Promise<Target> {
  const found = await fetch(`${server.url}/api/v1/public/search?page_size=50`)
  const { items } = await readData<{ items: { vanity_name: string }[] }>(found)
  const visitor = await signUp(server.url, 'visitor')
  const enemy = await signUp(server.url, 'enemy')
  await verifyEmails(server.databaseUrl)
  const call = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    callJson(server.url, method, path, body, {
      ...{ cookie: enemy.cookie, 'x-forwarded-for': enemy.address, origin: server.url },
      ...headers,
    })
  await call('PATCH', '/api/v1/private/me', { developer_mode: true })
  const game = await call('POST', '/api/v1/private/games', { name: 'Enemy', asset_type: 'game' })
  const { uid: gameUid } = await readData<{ uid: string }>(game)
  const key = await call('POST', `/api/v1/private/games/${gameUid}/deploy-keys`, {})
  const { access_token, secret_key } = await readData<{ access_token: string; secret_key: string }>(key)
  const deployKey = { 'x-access-token': access_token, 'x-secret-key': secret_key }
  const registration = { version: '1.0.0', os: 'linux', arch: 'x86_64', channel: 'dev' }
  const build = await call('POST', '/api/v1/tool/upload/build', registration, deployKey)
  const { build_id: buildId } = await readData<{ build_id: string }>(build)
  const games = items.map((item) => item.vanity_name)
  return { ...server, games, visitor, enemy: { ...enemy, gameUid, buildId, deployKey } }
}

async function signUp(url: string, name: string): Promise<Account> {
  const address = randomAddress()
  const email = `${name}-${crypto.randomUUID()}@example.org`
  const headers = { origin: url, 'x-forwarded-for': address }
  const body = { name, email, password: `password of ${email}` }
  const response = await callJson(url, 'POST', '/api/auth/sign-up/email', body, headers)
  return { cookie: readCookies(response), address }
}

async function callJson(
  url: string,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
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
