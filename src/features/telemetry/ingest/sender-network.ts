import { isInsideAddress } from '../../../clients/outside/inside-addresses.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { networkOf } from '../../../lib/net/client-address.ts'

export type HashNetwork = (gameUid: string, address: string) => string

const POSITIVE_BITS = 63

/**
 * A number for the sender's network that is meaningless without SECRET_KEY and differs for every game. Negative for
 * addresses that are not on the internet.
 */
export function createNetworkHash(keyring: Keyring): HashNetwork {
  const [key = ''] = keyring.derive('networks of senders')
  return (gameUid, address) => {
    const digest = new Bun.CryptoHasher('sha256', key).update(`${gameUid} ${networkOf(address)}`).digest()
    const number = BigInt.asUintN(POSITIVE_BITS, digest.readBigUInt64BE()) || 1n
    return String(isInsideAddress(address) ? -number : number)
  }
}
