import type { Config } from '../../../config/config.ts'
import type { Deps } from '../../../deps.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isLoopbackHost } from '../../../lib/net/addresses.ts'

/** Printed in the README, so it opens demo accounts only where nobody else can reach them. */
export const PUBLISHED_PASSWORD = 'playshelf-demo'
const LENGTH = 20

/** The password of the demo accounts. Elsewhere than on one's own machine, each installation has its own. */
export function demoPassword({ config, keyring }: Deps): string {
  return isOwnMachine(config)
    ? PUBLISHED_PASSWORD
    : sha256Hex(keyring.derive('demo')[0] ?? '').slice(0, LENGTH)
}

/** Whether nobody else can reach this store. */
export function isOwnMachine({ host, baseUrl }: Config): boolean {
  const listensAt = host.includes(':') ? `[${host}]` : host
  return isLoopbackHost(listensAt) && isLoopbackHost(new URL(baseUrl).hostname)
}
