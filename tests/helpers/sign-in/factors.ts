import { eq } from 'drizzle-orm'

import { authenticators, sessions } from '../../../src/db/schema/accounts.ts'
import { makeCode, stepAt } from '../../../src/lib/totp.ts'
import { readData } from '../json.ts'
import { asPerson, type Person, readCookies } from '../people.ts'
import type { ReachableServer, TestServer } from '../server.ts'

export interface App {
  secret: string
  recoveryCodes: string[]
}

/** Gives the account an authenticator app. */
export async function addApp(person: Person): Promise<App> {
  const { secret } = await readData<{ secret: string }>(
    await person.json('POST', '/api/v1/private/me/authenticator'),
  )
  const code = makeCode(secret, stepAt(Date.now()))
  const answer = await person.json('POST', '/api/v1/private/me/authenticator/confirm', { code })
  const { recovery_codes } = await readData<{ recovery_codes: string[] }>(answer)
  return { secret, recoveryCodes: recovery_codes }
}

/** A code that was not used yet, without waiting for the next half minute. */
export async function unusedCode(server: TestServer, person: Person, { secret }: App): Promise<string> {
  await server.deps.db
    .update(authenticators)
    .set({ lastStep: 0 })
    .where(eq(authenticators.userUid, person.uid))
  return makeCode(secret, stepAt(Date.now()))
}

export interface SignIn {
  answer: Response
  cookie: string
}

/** Sends the password as a browser with these cookies. */
export async function sendPassword(
  server: ReachableServer,
  { email, password, address }: Pick<Person, 'email' | 'password' | 'address'>,
  cookie = '',
): Promise<SignIn> {
  return await post(server, '/api/auth/sign-in/email', { email, password }, { address, cookie })
}

export async function sendCode(
  server: ReachableServer,
  { address }: Pick<Person, 'address'>,
  cookie: string,
  body: { code: string; trustDevice?: boolean },
  kind: 'totp' | 'backup-code' = 'totp',
): Promise<SignIn> {
  return await post(server, `/api/auth/two-factor/verify-${kind}`, body, { address, cookie })
}

async function post(
  server: ReachableServer,
  path: string,
  body: object,
  { address, cookie }: { address: string; cookie: string },
): Promise<SignIn> {
  const answer = await server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(server.url).origin,
      'x-forwarded-for': address,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      ...(cookie === '' ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  })
  return { answer, cookie: mergeCookies(cookie, readCookies(answer)) }
}

/** Merges cookies as browsers do: later ones replace earlier ones, and empty ones are removed. */
export function mergeCookies(...lists: string[]): string {
  const jar = new Map<string, string>()
  for (const pair of lists.flatMap((list) => list.split('; '))) {
    const [name = '', ...value] = pair.split('=')
    if (value.join('=') === '') jar.delete(name)
    else jar.set(name, value.join('='))
  }
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** The same person in the browser with these cookies. */
export function withCookie(server: ReachableServer, person: Person, cookie: string): Person {
  return asPerson(server, { ...person, cookie })
}

/** As if the person had last proved who they are an hour ago. */
export async function ageConfirmation(server: TestServer, person: Person): Promise<void> {
  const { db, database } = server.deps
  await db
    .update(sessions)
    .set({ confirmedAt: new Date(Date.now() - 60 * 60 * 1000) })
    .where(eq(sessions.userId, person.uid))
  const { announce } = await import('../../../src/db/notify/notify.ts')
  await announce(database, db, 'accounts', person.uid)
}
