import type { Deps } from '../deps.ts'
import { listOperators, setOperator } from '../features/operate/accounts/service.ts'
import { createSetupAddress } from '../features/operate/setup/service.ts'
import { isEmail } from '../lib/text/names.ts'

const USAGE = 'operator takes: list, add <email> or remove <email>'

/** Names the accounts that run the store. Changes apply to the next request, without a restart. */
export async function runOperator(
  deps: Deps,
  [action, email = '', ...more]: readonly string[],
): Promise<string> {
  if (action === 'list' && email === '') return await describe(deps)
  if ((action !== 'add' && action !== 'remove') || !isEmail(email) || more.length > 0) throw new Error(USAGE)
  const { username } = await setOperator(deps, email, action === 'add')
  if (action === 'add') return `${email} (${username}) is an operator now: ${deps.config.baseUrl}/operate`
  return deps.config.operators.includes(email.toLowerCase())
    ? `${email} stays an operator, because OPERATORS names it.`
    : `${email} (${username}) is no operator any more.`
}

async function describe(deps: Deps): Promise<string> {
  const operators = await listOperators(deps)
  if (operators.length === 0) return 'There are no operators. Name one with: playshelf operator add <email>'
  return operators.map(({ email, by }) => `${email.padEnd(32)} ${by}`).join('\n')
}

/** For a store without operators. Printed and never logged: whoever has the address becomes the operator. */
export async function printSetupAddress(deps: Deps): Promise<void> {
  const { role, passwordSignIn } = deps.config
  if (role !== 'all' && role !== 'api') return
  // Without passwords the first operator signs in with a provider, and is named on the command line or in
  // OPERATORS.
  const address = passwordSignIn ? await createSetupAddress(deps) : null
  if (address !== null) console.log(`Set up your store within 24 hours, once: ${address}`)
}
