import type { Transaction } from '../../../db/client.ts'
import * as queries from './license-queries.ts'

/** Serialises whatever gives or ends a licence by an order or a key, until the transaction ends. */
export async function lockHolding(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await queries.lockPair(tx, userUid, gameUid)
}

/** A licence that was claimed or granted stays as it is. Returns false when the listing is gone. */
export async function giveBoughtLicense(tx: Transaction, purchase: queries.Purchase): Promise<boolean> {
  await queries.upsertBought(tx, purchase)
  return (await queries.findLicense(tx, purchase.userUid, purchase.gameUid)) !== undefined
}

/** Ends only what was bought. */
export async function endBoughtLicense(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await queries.deleteBought(tx, userUid, gameUid)
}

/** Returns false when the holder has what the key is for. */
export async function giveRedeemedLicense(tx: Transaction, redemption: queries.Redemption): Promise<boolean> {
  return await queries.upsertRedeemed(tx, redemption)
}
