/** What people are told about. */
export const NOTICE_KINDS = [
  'release',
  'post',
  'new_game',
  'price',
  'released',
  'bug_fixed',
  'review_answer',
  'refund',
  'operator',
  'jam',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** How a kind is mailed. */
export const MAIL_CHOICES = ['never', 'digest', 'at_once'] as const
export type MailChoice = (typeof MAIL_CHOICES)[number]

export const DIGEST_RHYTHMS = ['weekly', 'daily'] as const
export type DigestRhythm = (typeof DIGEST_RHYTHMS)[number]

export const NOTICE_DAYS = 90
/** More events of one listing than this within a burst are one notice. */
export const NOTICES_APART_MAX = 10
/** How long after its first event a burst takes in others. */
export const NOTICE_BURST_SECONDS = 60
/** Digests end after this many bounces, until the address is confirmed again. */
export const BOUNCES_MAX = 3

/** Of one account: more unread events are not counted. */
export const NOTICES_COUNTED_MAX = 1000

/** An event as one account is told of it. */
export interface ToldEvent {
  uid: string
  kind: NoticeKind
  gameUid: string | null
  /** Whether it concerns only this account. */
  isAddressed: boolean
  isRead: boolean
  /** Milliseconds since 1970. */
  at: number
  burstAt: number
}

/** One notice: its newest event, and how many it stands for. */
export interface ToldNotice extends ToldEvent {
  count: number
}

/** Makes one notice of more than NOTICES_APART_MAX events of a burst. The events must be sorted, newest first. */
export function groupBursts(events: readonly ToldEvent[]): ToldNotice[] {
  const bursts = Map.groupBy(events, (event) => burstKey(event) ?? event.uid)
  return events.flatMap((event) => {
    const burst = bursts.get(burstKey(event) ?? event.uid) ?? [event]
    if (burst.length <= NOTICES_APART_MAX) return { ...event, count: 1 }
    const [newest] = burst
    return newest === event
      ? { ...event, isRead: burst.every(({ isRead }) => isRead), count: burst.length }
      : []
  })
}

/** Null for what belongs to no listing. */
export function burstKey({ gameUid, isAddressed, burstAt }: ToldEvent): string | null {
  return gameUid && `${gameUid} ${isAddressed} ${burstAt}`
}

/** What a notice says that may no longer be read elsewhere when it is read. */
export interface NoticeFacts {
  title: string
  text?: string
  /** The path of the page it leads to; absent: the page of the listing. */
  path?: string
  version?: string
  price_cents?: number
  old_price_cents?: number
}
