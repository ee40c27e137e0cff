import type { Db, Transaction } from '../../db/client.ts'
import type { ActSubject, OperatorAct } from '../../domain/operator-acts.ts'
import { mapPage, type Page, type Paged } from '../../lib/paging.ts'
import { respond } from '../../lib/respond.ts'
import { Act } from './model.ts'
import * as queries from './queries.ts'

/** An operator's account; null for the command line. */
export type Operator = { userUid: string; username: string } | null

interface ActFacts {
  act: OperatorAct
  subject: ActSubject
  id: string | null
  name: string
  reason?: string | null | undefined
}

/** Writes the log in the transaction of the act itself, so that no act can be missing from it. */
export async function recordAct(
  tx: Transaction,
  operator: Operator,
  { act, subject, id, name, reason = null }: ActFacts,
): Promise<void> {
  await queries.insertAct(tx, {
    operatorUid: operator?.userUid ?? null,
    operator: operator?.username ?? 'command line',
    act,
    subject,
    reason,
    subjectId: id,
    subjectName: name,
  })
}

/** The newest first. */
export async function listActs(db: Db, page: Page): Promise<Paged<Act>> {
  return mapPage(await queries.listActs(db, page), (row) =>
    respond(Act, row, {
      at: row.createdAt,
      operator: { uid: row.operatorUid, username: row.operator },
      subject: { kind: row.subject, id: row.subjectId, name: row.subjectName },
    }),
  )
}
