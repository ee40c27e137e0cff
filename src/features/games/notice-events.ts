import type { Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { OperatingSystem } from '../../domain/builds/platforms.ts'
import type { NoticeFacts, NoticeKind } from '../../domain/notices.ts'
import * as queries from './notice-queries.ts'

/** Notifies every process what an event concerns: the uids of listing, developer, jam and person, separated by spaces. */
export const NOTICE_RECORDED = 'notice_recorded'

export interface NoticeEvent {
  kind: NoticeKind
  gameUid?: string
  /** The owner of the listing. */
  developerUid?: string
  postUid?: string
  /** All who joined it are concerned. */
  jamUid?: string
  /** The only person it concerns; absent: all who follow. */
  userUid?: string
  /** Of releases: the systems of the build. */
  platforms?: OperatingSystem[]
  facts: NoticeFacts
  /** Recording the same event again does nothing. */
  onceKey?: string
}

/** Call it last in the transaction of what happened: the time of the event is taken then. */
export async function recordNotice(tx: Transaction, event: NoticeEvent): Promise<void> {
  const uid = await queries.insertNoticeEvent(tx, event)
  if (uid === undefined) return
  const concerned = [event.gameUid, event.developerUid, event.jamUid, event.userUid].filter(
    (one) => one !== undefined,
  )
  await notify(tx, NOTICE_RECORDED, concerned.join(' '))
}
