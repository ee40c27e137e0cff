import type { Deps } from '../../deps.ts'
import { createAuth } from './auth.ts'
import { confirmDemoUser, isEmailTaken } from './queries.ts'

export const DEMO_PASSWORD = 'playshelf-demo'

/** Fixed accounts for a fresh installation: a player, two developers and an operator. */
export const DEMO_ACCOUNTS = [
  { name: 'Robin Player', email: 'player@demo.example', developerMode: false, operator: false },
  { name: 'Lantern Works', email: 'studio@demo.example', developerMode: true, operator: false },
  { name: 'Moss Jam', email: 'jam@demo.example', developerMode: true, operator: false },
  { name: 'Shelf Keeper', email: 'operator@demo.example', developerMode: false, operator: true },
] as const

/** Idempotent. Returns how many accounts were added. */
export async function loadDemoAccounts(deps: Deps): Promise<number> {
  const auth = await createAuth(deps, { sendsMail: false })
  let added = 0
  for (const { name, email, ...facts } of DEMO_ACCOUNTS) {
    if (await isEmailTaken(deps.db, email)) continue
    await auth.api.signUpEmail({ body: { name, email, password: DEMO_PASSWORD } })
    await confirmDemoUser(deps.db, email, facts)
    added += 1
  }
  return added
}
