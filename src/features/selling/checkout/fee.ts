import type { Deps } from '../../../deps.ts'
import { feeOf } from '../../../domain/listings/orders.ts'
import { readFeePercent, settingsOf } from '../../settings/reader.ts'

/** The only place where a sale learns the store's share. */
export async function readFee(deps: Deps, amountCents: number): Promise<number> {
  return feeOf(amountCents, await readFeePercent(deps))
}

/** What the bank prints beside the amount. */
export async function readStoreName(deps: Deps): Promise<string> {
  return (await settingsOf(deps).read()).name
}
