import type { NewsGroup, NewsItem } from '../../../clients/mail/mail-news.ts'
import { composeNewsMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import { type MailEnd, NOTICE_FACTS, type NoticeKind, type ToldNotice } from '../../../domain/notices.ts'
import { noticeSettingsUrl, noticesUrl } from '../../../domain/site-urls.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { formatNumber, plural } from '../../../lib/text/show.ts'
import type { Notice, ReadNotice } from '../notices/model.ts'

/** Listings in one mail, and lines of each; what is left out is counted. */
export const MAIL_GROUPS_MAX = 10
export const MAIL_LINES_MAX = 4
const TITLE_MAX = 120
const TEXT_MAX = 200

/** What a mail has room for, and how much there is. */
export interface News {
  /** By listing; what belongs to none, by kind. */
  groups: readonly (readonly ToldNotice[])[]
  groupsTotal: number
  total: number
  kinds: readonly NoticeKind[]
}

/** Chosen before any text is read, because of a busy week only a part is shown. The notices must be sorted, newest first. */
export function chooseNews(told: readonly ToldNotice[]): News {
  const groups = Map.groupBy(told, ({ gameUid, kind }) => gameUid ?? kind)
  return {
    groups: Array.from(groups.values().take(MAIL_GROUPS_MAX), (own) => own.slice(0, MAIL_LINES_MAX)),
    groupsTotal: groups.size,
    total: told.length,
    kinds: Array.from(new Set(told.map(({ kind }) => kind))),
  }
}

interface MailParts {
  to: Recipient
  baseUrl: string
  /** What happened since the last one; otherwise what is told at once, mostly one thing. */
  isDigest: boolean
  news: News
  read: ReadNotice
  /** The address that ends such mails without signing in. */
  endUrl: (end: MailEnd) => string
}

/** Null when nothing is left to tell. */
export function noticesMail({ to, baseUrl, isDigest, news, read, endUrl }: MailParts): MailMessage | null {
  const groups = news.groups.map((told) => told.flatMap(read)).filter((notices) => notices.length > 0)
  const [newest] = groups.flat()
  if (!newest) return null
  const isOne = !isDigest && news.total === 1
  const shown = groups.reduce((sum, notices) => sum + notices.length, 0)
  const mail = composeNewsMail(
    to,
    isOne ? subjectOfOne(newest) : subjectOf(newest, news.groupsTotal - 1),
    'This is new for you.',
    {
      groups: groups.map(toGroup),
      more: shown < news.total ? `And ${formatNumber(news.total - shown)} more.` : null,
      settingsUrl: noticeSettingsUrl(baseUrl),
      ends: news.kinds.map((one) => ({ name: NOTICE_FACTS[one].name, url: endUrl(one) })),
    },
    isOne ? { label: 'Open it', url: newest.url } : { label: 'All notices', url: noticesUrl(baseUrl) },
  )
  return { ...mail, unsubscribeUrl: endUrl(isDigest && news.kinds.length > 1 ? 'digest' : newest.kind) }
}

function toGroup(notices: readonly Notice[]): NewsGroup {
  const [newest] = notices
  return {
    name: newest ? placeOf(newest) : '',
    url: newest?.game?.url ?? null,
    items: notices.map(toItem),
  }
}

function placeOf({ game, kind }: Notice): string {
  return game ? withoutLinks(game.name) : NOTICE_FACTS[kind].name
}

function toItem({ kind, title, text, url, count }: Notice): NewsItem {
  const { label } = NOTICE_FACTS[kind]
  const line = text === null ? '' : withoutLinks(text, TEXT_MAX)
  return {
    label: count === 1 ? label : `${label}, and ${formatNumber(count - 1)} more`,
    title: withoutLinks(title, TITLE_MAX) || label,
    text: line === '' ? null : line,
    url,
  }
}

function subjectOf(newest: Notice, others: number): string {
  return `News of ${placeOf(newest)}${others === 0 ? '' : ` and ${plural(others, 'other')}`}`
}

function subjectOfOne({ game, kind, title }: Notice): string {
  const { label } = NOTICE_FACTS[kind]
  const name = game ? withoutLinks(game.name) : label
  const shown = withoutLinks(title, TITLE_MAX)
  return shown === '' || shown === name ? `${label}: ${name}` : `${name}: ${shown}`
}
