import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sendMail } from '../../mail/jobs.ts'
import { deleteSessions } from '../queries.ts'
import { factorsResetMail } from './factor-mails.ts'
import { deleteFactors } from './factors.ts'

/** For somebody who lost their devices, asked of the operators. Sessions first: one may be adding a factor. */
export async function resetFactors(
  deps: Deps,
  tx: Transaction,
  { uid, email }: { uid: string; email: string },
  reason: string,
): Promise<void> {
  await deleteSessions(tx, uid)
  await deleteFactors(deps, tx, uid)
  await enqueue(tx, sendMail, factorsResetMail({ email }, reason, deps.config.baseUrl))
}
