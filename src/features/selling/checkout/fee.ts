import type { Deps } from '../../../deps.ts'
import { feeOf } from '../../../domain/listings/orders.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'

/** The only place where a sale learns the store's share. */
export async function readFee(_: Pick<Deps, 'db'>, amountCents: number): Promise<number> {
  return await Promise.resolve(feeOf(amountCents, STORE_RULES.fee_percent))
}

/** What the bank prints beside the amount. */
export async function readStoreName(_: Pick<Deps, 'db'>): Promise<string> {
  return await Promise.resolve('Playshelf')
}
