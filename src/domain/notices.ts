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

interface KindFacts {
  /** In settings, and in links that end them. */
  name: string
  hint: string
  /** Before one of them in a mail. */
  label: string
  /** How it is mailed to who chose nothing. */
  choice: MailChoice
  /** The store mails each of these anyway, so that `at_once` adds no second mail. */
  isMailedAnyway?: true
}

/** What one can choose for each kind. News of many listings is collected, what concerns oneself comes at once. */
export const NOTICE_FACTS: Readonly<Record<NoticeKind, KindFacts>> = {
  release: {
    name: 'Releases',
    hint: 'Of games you follow, for your systems.',
    label: 'Release',
    choice: 'digest',
  },
  post: { name: 'Posts', hint: 'Of games and developers you follow.', label: 'Post', choice: 'digest' },
  new_game: { name: 'New games', hint: 'Of developers you follow.', label: 'New game', choice: 'digest' },
  price: {
    name: 'Lower prices',
    hint: 'Of what is on your wishlist.',
    label: 'Lower price',
    choice: 'digest',
  },
  released: {
    name: 'Wishes that are released',
    hint: 'What you can have now.',
    label: 'Released',
    choice: 'digest',
  },
  bug_fixed: { name: 'Fixed bugs', hint: 'Those you reported.', label: 'Fixed bug', choice: 'digest' },
  review_answer: {
    name: 'Answers to your reviews',
    hint: 'By the developer.',
    label: 'Answer to your review',
    choice: 'at_once',
  },
  refund: {
    name: 'Refunds',
    hint: 'The store mails each of them anyway.',
    label: 'Refund',
    choice: 'at_once',
    isMailedAnyway: true,
  },
  operator: {
    name: 'Acts of the operators',
    hint: 'About your own pages. The store mails each of them anyway.',
    label: 'From the operators',
    choice: 'at_once',
    isMailedAnyway: true,
  },
  jam: { name: 'Jams', hint: 'Those you take part in.', label: 'Jam', choice: 'digest' },
}

/** What one account chose, where that differs from the default. */
export type MailChoices = Partial<Record<NoticeKind, MailChoice>>

/** What an account chose, or else the default. */
export function choiceOf(choices: MailChoices, kind: NoticeKind): MailChoice {
  return choices[kind] ?? NOTICE_FACTS[kind].choice
}

export function kindsChosen(choices: MailChoices, choice: MailChoice): NoticeKind[] {
  return NOTICE_KINDS.filter((kind) => choiceOf(choices, kind) === choice)
}

/** Leaves out what is the default. */
export function withoutDefaults(choices: MailChoices): MailChoices {
  return Object.fromEntries(
    NOTICE_KINDS.flatMap((kind) => {
      const choice = choiceOf(choices, kind)
      return choice === NOTICE_FACTS[kind].choice ? [] : [[kind, choice]]
    }),
  )
}

/** Of events of this kind the store sends a mail by `at_once`, besides those it sends anyway. */
export function sendsAtOnce(kind: NoticeKind): boolean {
  return NOTICE_FACTS[kind].isMailedAnyway !== true
}

/** What a link in a mail ends: one kind, or all kinds that stand in the digest. */
export const MAIL_ENDS = ['digest', ...NOTICE_KINDS] as const
export type MailEnd = (typeof MAIL_ENDS)[number]

/** The choices after what the link ends. */
export function endMails(choices: MailChoices, end: MailEnd): MailChoices {
  const ended = end === 'digest' ? kindsChosen(choices, 'digest') : [end]
  const never: MailChoice = 'never'
  return withoutDefaults({ ...choices, ...Object.fromEntries(ended.map((kind) => [kind, never])) })
}
