import type { Deps } from '../deps.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD, loadDemoAccounts } from '../features/accounts/demo.ts'

/** Loads the demo data; again and again adds nothing. */
export async function loadDemo(deps: Deps): Promise<string> {
  const accounts = await loadDemoAccounts(deps)
  return accounts === 0 ? 'The demo data is already there.' : `Demo data loaded: ${accounts} accounts.`
}

export function describeDemoSignIns(): string {
  const rows = DEMO_ACCOUNTS.map(({ name, email }) => `  ${email.padEnd(22)} ${DEMO_PASSWORD}   ${name}`)
  return ['Demo sign-ins (e-mail, password):', ...rows].join('\n')
}
