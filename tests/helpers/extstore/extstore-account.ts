import type { ExtStoreDouble } from '../ext-store-double/double.ts'
import { readData } from '../json.ts'
import type { Person } from '../people.ts'

export const ACCOUNT_PATH = '/api/v1/private/me/extstore'

let accounts = 0

/** Returns an account of the store that is not linked yet. */
export function newAccount(): string {
  accounts += 1
  return String(76_561_198_000_000_000n + BigInt(accounts))
}

/** Starts the sign-in and returns its `return_to` address. */
export async function beginSignIn(person: Person): Promise<string> {
  const answer = await person.fetch(`${ACCOUNT_PATH}/connect`)
  const target = new URL(answer.headers.get('location') ?? '')
  return target.searchParams.get('openid.return_to') ?? ''
}

/** Follows the store's redirect as the browser does. */
export async function comeBack(person: Person, address: string): Promise<Response> {
  const { pathname, search } = new URL(address)
  return await person.fetch(pathname + search)
}

export async function linkAccount(
  double: ExtStoreDouble,
  person: Person,
  extstoreId: string,
): Promise<Response> {
  return await comeBack(person, double.signIn({ returnTo: await beginSignIn(person), extstoreId }))
}

export async function readLinkedAccount(person: Person): Promise<string | null> {
  const answer = await person.fetch('/api/v1/private/me')
  return (await readData<{ extstore_id: string | null }>(answer)).extstore_id
}
