import { readData, readJson } from './json.ts'
import type { ReachableServer } from './server.ts'

export interface Person {
  uid: string
  name: string
  email: string
  password: string
  /** The address this person's requests come from; needs TRUST_PROXY=1. */
  address: string
  cookie: string
  /** Calls the API like the website, with the session and our own origin. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  json(method: string, path: string, body?: unknown): Promise<Response>
}

let count = 0

/** Signs a new person up and in. Everyone has their own address, so that they share no limits. */
export async function signUp(server: ReachableServer, name?: string): Promise<Person> {
  count += 1
  const unique = `${count}-${crypto.randomUUID().slice(0, 8)}`
  const email = `person-${unique}@example.org`
  const password = `password of ${unique}`
  const address = randomAddress()
  const answer = await server.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: originOf(server), 'x-forwarded-for': address },
    body: JSON.stringify({ name: name ?? `person-${unique}`, email, password }),
  })
  if (answer.status !== 200) throw new Error(`Sign-up answered ${answer.status}: ${await answer.text()}`)
  const body = await readJson<{ user: { id: string } }>(answer)
  return asPerson(server, {
    uid: body.user.id,
    name: name ?? '',
    email,
    password,
    address,
    cookie: readCookies(answer),
  })
}

/** As browsers write it, without the default port. */
function originOf({ url }: ReachableServer): string {
  return new URL(url).origin
}

export function asPerson(server: ReachableServer, facts: Omit<Person, 'fetch' | 'json'>): Person {
  const call = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('origin')) headers.set('origin', originOf(server))
    headers.set('cookie', facts.cookie)
    headers.set('x-forwarded-for', facts.address)
    return server.fetch(path, { ...init, headers })
  }
  return {
    ...facts,
    fetch: call,
    json: (method, path, body) =>
      call(path, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
  }
}

/** Returns the `name=value` pairs of every Set-Cookie, ready to be sent back. */
export function readCookies(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .flatMap((cookie) => cookie.split(';', 1)[0] ?? [])
    .join('; ')
}

export function randomAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3))
  return `10.${bytes.join('.')}`
}

export async function usernameOf(person: Person): Promise<string> {
  return (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username
}

/** How a person is shown who has set neither a name nor a picture. */
export function unnamed(username = '') {
  return { username, display_name: username, picture: null }
}
