import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { crashQuotas } from '../../../db/schema/crashes.ts'

export interface Spent {
  kinds: number
  logs: number
  bytes: number
}

/** A game or network, and the day. */
export interface QuotaOwner {
  gameUid: string
  day: string
  network: string | null
}

/** Stands for the game as a whole; no network has this number. */
const WHOLE_GAME = 0n
const NOTHING: Spent = { kinds: 0, logs: 0, bytes: 0 }

const networksOf = ({ network }: QuotaOwner) =>
  network === null ? [WHOLE_GAME] : [WHOLE_GAME, BigInt(network)]

/** Serialises the reports of one game until the transaction ends. */
export async function lockQuota(
  tx: Transaction,
  owner: QuotaOwner,
): Promise<{ ofGame: Spent; ofNetwork: Spent }> {
  const { gameUid, day } = owner
  const rows = await tx
    .insert(crashQuotas)
    .values(networksOf(owner).map((network) => ({ gameUid, day, network })))
    .onConflictDoUpdate({
      target: [crashQuotas.gameUid, crashQuotas.day, crashQuotas.network],
      set: { day },
    })
    .returning()
  const ofGame = rows.find(({ network }) => network === WHOLE_GAME)
  const ofNetwork = rows.find(({ network }) => network !== WHOLE_GAME)
  return { ofGame: ofGame ?? NOTHING, ofNetwork: ofNetwork ?? NOTHING }
}

export async function spendQuota(
  tx: Transaction,
  owner: QuotaOwner,
  { kinds, logs, bytes }: Spent,
): Promise<void> {
  await tx
    .update(crashQuotas)
    .set({
      kinds: sql`${crashQuotas.kinds} + ${kinds}`,
      logs: sql`${crashQuotas.logs} + ${logs}`,
      bytes: sql`${crashQuotas.bytes} + ${bytes}`,
    })
    .where(
      and(
        eq(crashQuotas.gameUid, owner.gameUid),
        eq(crashQuotas.day, owner.day),
        inArray(crashQuotas.network, networksOf(owner)),
      ),
    )
}

export async function deleteOldQuotas(db: Db, before: string): Promise<void> {
  await db.delete(crashQuotas).where(lt(crashQuotas.day, before))
}
