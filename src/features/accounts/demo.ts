import type { Deps } from '../../deps.ts'
import { createAuth } from './auth.ts'
import { confirmDemoUser, isEmailTaken } from './queries.ts'

export const DEMO_PASSWORD = 'playshelf-demo'

/** Fixed people for a fresh installation: someone who plays and two who publish. */
export const DEMO_ACCOUNTS = [
  { name: 'Robin Player', email: 'player@demo.example', developerMode: false },
  { name: 'Lantern Works', email: 'studio@demo.example', developerMode: true },
  { name: 'Moss Jam', email: 'jam@demo.example', developerMode: true },
] as const

/** Adds what is missing, so that it may be run again; answers how many accounts are new. */
export async function loadDemoAccounts(deps: Deps): Promise<number> {
  const auth = await createAuth(deps, { forgetPlayerKey: async () => undefined, sendsMail: false })
  let added = 0
  for (const { name, email, developerMode } of DEMO_ACCOUNTS) {
    if (await isEmailTaken(deps.db, email)) continue
    await auth.api.signUpEmail({ body: { name, email, password: DEMO_PASSWORD } })
    await confirmDemoUser(deps.db, email, developerMode)
    added += 1
  }
  return added
}
