import type { Db, Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { JAM_CHANGES_SHOWN } from '../../domain/jams.ts'
import { recordAct } from '../audit/service.ts'
import * as queries from './shared-queries.ts'

/** Notifies every process that a jam changed: its uid. */
export const JAMS_CHANGED = 'jams_changed'

/** Call it in the transaction of whatever changes what pages show of a jam. */
export async function markJamChanged(tx: Transaction, uid: string): Promise<void> {
  await notify(tx, JAMS_CHANGED, uid)
}

interface HostAct {
  act?: 'create_jam' | 'change_jam' | 'delete_jam'
  /** What was done and why, as a sentence for the audit log. */
  text?: string
  /** The line that the page of the jam shows under Changes; absent: none. */
  listed?: string
}

/** Writes what a host did into the audit log, and what concerns everyone into the changes of the jam. */
export async function recordHostAct(
  tx: Transaction,
  { userUid, username }: Pick<WebsiteUser, 'userUid' | 'username'>,
  jam: Pick<queries.JamRow, 'uid' | 'title'>,
  { act = 'change_jam', text, listed }: HostAct,
): Promise<void> {
  const reason = text ?? listed
  await recordAct(
    tx,
    { userUid, username },
    { act, subject: 'jam', id: jam.uid, name: jam.title, ...(reason !== undefined && { reason }) },
  )
  if (listed !== undefined) await queries.insertChange(tx, jam.uid, listed)
}

export interface JamChange {
  text: string
  createdAt: Date
}

/** The newest first. */
export async function listChanges(db: Db, jamUid: string): Promise<JamChange[]> {
  return await queries.listChanges(db, jamUid, JAM_CHANGES_SHOWN)
}

/** As lines under Changes tell times. */
export function tellTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
