import type { Deps } from '../deps.ts'
import { createSetupAddress } from '../features/operate/setup/service.ts'

/** For a store that nobody runs yet. Printed and never logged: whoever has it becomes the operator. */
export async function printSetupAddress(deps: Deps): Promise<void> {
  const { role, passwordSignIn } = deps.config
  if (role !== 'all' && role !== 'api') return
  // Without passwords the first operator signs in by a provider, and is named outside.
  const address = passwordSignIn ? await createSetupAddress(deps) : null
  if (address !== null) console.log(`Set up your store within 24 hours, once: ${address}`)
}
