import type { Deps } from '../../deps.ts'
import { demoPassword, PUBLISHED_PASSWORD } from './passwords/demo-password.ts'
import { confirmDemoUser, isEmailTaken } from './queries.ts'
import type { Auth } from './sign-in/auth.ts'
import { openAuthLater } from './sign-in/open-auth.ts'

/** Fixed accounts for a fresh installation: a player, two developers and an operator. */
export const DEMO_ACCOUNTS = [
  { name: 'Robin Player', email: 'player@demo.example', developerMode: false, operator: false },
  { name: 'Lantern Works', email: 'studio@demo.example', developerMode: true, operator: false },
  { name: 'Moss Jam', email: 'jam@demo.example', developerMode: true, operator: false },
  { name: 'Shelf Keeper', email: 'operator@demo.example', developerMode: false, operator: true },
] as const

/** Idempotent. Returns how many accounts were added. */
export async function loadDemoAccounts(deps: Deps): Promise<number> {
  const auth = await openAuthLater(deps, { sendsMail: false, checksInvitations: false })()
  const password = demoPassword(deps)
  let added = 0
  for (const { name, email, ...facts } of DEMO_ACCOUNTS) {
    if (await isEmailTaken(deps.db, email)) {
      if (password !== PUBLISHED_PASSWORD) await replacePublished(auth, email, password)
      continue
    }
    await auth.api.signUpEmail({ body: { name, email, password } })
    await confirmDemoUser(deps.db, email, facts)
    added += 1
  }
  return added
}

/** For accounts that were added when only this machine could reach them. */
async function replacePublished(auth: Auth, email: string, password: string): Promise<void> {
  const { internalAdapter, password: hashes } = await auth.$context
  const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true })
  const hash = found?.accounts.find(({ providerId }) => providerId === 'credential')?.password
  if (!found || !hash || !(await hashes.verify({ hash, password: PUBLISHED_PASSWORD }))) return
  await internalAdapter.updatePassword(found.user.id, await hashes.hash(password))
  await internalAdapter.deleteUserSessions(found.user.id)
}
