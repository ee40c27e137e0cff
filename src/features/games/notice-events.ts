import type { Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { OperatingSystem } from '../../domain/builds/platforms.ts'
import { type NoticeFacts, type NoticeKind, sendsAtOnce } from '../../domain/notices.ts'
import { enqueue } from '../../jobs/queue.ts'
import { mailAtOnce } from './jobs.ts'
import * as queries from './queries.ts'
import type { GameRow } from './queries.ts'

/** Notifies every process whom an event concerns: the uid of the person, or those of listing, developer and jam. */
export const NOTICE_RECORDED = 'notice_recorded'

interface NoticeEvent {
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
  if (sendsAtOnce(event.kind)) await enqueue(tx, mailAtOnce, { eventUid: uid })
  const { gameUid, developerUid, jamUid, userUid } = event
  const concerned = userUid === undefined ? [gameUid, developerUid, jamUid] : [userUid]
  await notify(tx, NOTICE_RECORDED, ...concerned.filter((one) => one !== undefined))
}

/** Takes back what was recorded under the key. Who read it is not told again of that. */
export async function withdrawNotice(tx: Transaction, onceKey: string): Promise<void> {
  const event = await queries.deleteNoticeEvent(tx, onceKey)
  if (event?.userUid) await notify(tx, NOTICE_RECORDED, event.userUid)
}

type ReleasedGame = Pick<GameRow, 'uid' | 'ownerUid' | 'name' | 'tagline'>

/** Tells once who wishes the listing that it is out. */
export async function recordReleased(tx: Transaction, game: ReleasedGame): Promise<void> {
  await recordNotice(tx, {
    kind: 'released',
    gameUid: game.uid,
    developerUid: game.ownerUid,
    facts: { title: `${game.name} is out`, ...(game.tagline !== '' && { text: game.tagline }) },
    onceKey: `released ${game.uid}`,
  })
}
