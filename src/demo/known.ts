import { eq, inArray } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { games } from '../db/schema/games/games.ts'
import { DEMO_LISTINGS, DEVELOPERS, PLAYERS } from './data.ts'
import { findPeople } from './queries.ts'

interface DemoGame {
  uid: string
  ownerUid: string
  priceCents: number
}

/** The listings and accounts of the demo, by their names. */
export interface DemoKnown {
  now: Date
  gameOf(vanityName: string): DemoGame | undefined
  personOf(username: string): string | undefined
}

export async function loadDemoKnown(tx: Transaction): Promise<DemoKnown> {
  const found = await findDemoGames(tx)
  const people = Object.entries({ ...DEVELOPERS, ...PLAYERS })
  const emails = new Map(people.map(([name, { email }]) => [name, email]))
  const accounts = await findPeople(tx, [...emails.values()])
  return {
    now: new Date(),
    gameOf: (name) => found.get(name),
    personOf: (name) => accounts.get(emails.get(name) ?? ''),
  }
}

/** The listings that still belong to the developer of the demo, by vanity name. */
async function findDemoGames(db: Db): Promise<Map<string, DemoGame>> {
  const owners = new Map(DEMO_LISTINGS.map(({ vanityName, by }) => [vanityName, DEVELOPERS[by].email]))
  const rows = await db
    .select({
      uid: games.uid,
      name: games.vanityName,
      priceCents: games.priceCents,
      ownerUid: users.id,
      email: users.email,
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.vanityName, [...owners.keys()]))
  return new Map(rows.filter(({ name, email }) => owners.get(name) === email).map((row) => [row.name, row]))
}
