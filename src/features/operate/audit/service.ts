import type { Db, Transaction } from '../../../db/client.ts'
import type { ActSubject, OperatorAct } from '../../../domain/operator-acts.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import type { Act } from './model.ts'
import * as queries from './queries.ts'

/** An operator's account; null for the command line. */
export type Operator = { userUid: string; username: string } | null

export interface ActFacts {
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
  const [rows, total] = await Promise.all([queries.listActs(db, page), queries.countActs(db)])
  return paged(page, rows.map(toAct), total)
}

function toAct(row: queries.ActRow): Act {
  return {
    uid: row.uid,
    at: row.createdAt.toISOString(),
    operator: { uid: row.operatorUid, username: row.operator },
    act: row.act,
    subject: { kind: row.subject, id: row.subjectId, name: row.subjectName },
    reason: row.reason,
  }
}
