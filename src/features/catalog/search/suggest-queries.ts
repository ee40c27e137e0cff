import type { Db } from '../../../db/client.ts'
import { anyOf } from '../../../db/lists.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import type { Deps } from '../../../deps.ts'
import { type ShownPerson, toPerson } from '../../../domain/people.ts'

export type LoadPeople = (usernames: readonly string[]) => Promise<ShownPerson[]>

/** In the order of the usernames; those that no longer exist are left out. */
export async function listPeople(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  usernames: readonly string[],
): Promise<ShownPerson[]> {
  if (usernames.length === 0) return []
  const rows = await selectPeople(db, usernames)
  const people = new Map(rows.map((row) => [row.username, toPerson(config.baseUrl, row)]))
  return usernames.flatMap((username) => people.get(username) ?? [])
}

async function selectPeople(db: Db, usernames: readonly string[]) {
  return await db.select(personColumns).from(users).where(anyOf(users.username, usernames))
}
