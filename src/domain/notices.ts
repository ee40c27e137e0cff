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
/** More events of one listing than this within a minute are one notice. */
export const NOTICES_APART_MAX = 10
/** Digests end after this many bounces, until the address is confirmed again. */
export const BOUNCES_MAX = 3

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
