import { eq } from 'drizzle-orm'

import { users } from '../../src/db/schema/accounts.ts'
import { verifyEmail } from './listings.ts'
import { type Person, signUp } from './people.ts'
import type { TestServer } from './server.ts'

/** Signs up an account that runs the store, as `playshelf operator add` names one. */
export async function signUpOperator(server: TestServer): Promise<Person> {
  const person = await signUp(server)
  await verifyEmail(server, person)
  await server.deps.db.update(users).set({ operator: true }).where(eq(users.id, person.uid))
  return person
}

/** Calls an act of the operators' API. */
export async function act(operator: Person, path: string, body?: object): Promise<Response> {
  return await operator.json('POST', `/api/v1/operator/${path}`, body)
}
