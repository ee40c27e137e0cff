import type { MailNews, NewsGroup, NewsItem } from '../../../clients/mail/mail-news.ts'
import { composeNewsMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import { type MailEnd, NOTICE_FACTS } from '../../../domain/notice-mails.ts'
import { noticeSettingsUrl, noticesUrl } from '../../../domain/site-urls.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { formatNumber, plural } from '../../../lib/text/show.ts'
import type { Notice } from '../notices/model.ts'

/** Listings in one mail, and lines of each; what is left out is counted. */
export const MAIL_GROUPS_MAX = 10
export const MAIL_LINES_MAX = 4
const TITLE_MAX = 120
const TEXT_MAX = 200

export interface MailParts {
  to: Recipient
  baseUrl: string
  /** Newest first, at least one. */
  notices: readonly Notice[]
  /** The address that ends such mails without signing in. */
  endUrl: (end: MailEnd) => string
}

/** What happened since the last one. */
export function digestMail(parts: MailParts): MailMessage {
  const { to, baseUrl, notices, endUrl } = parts
  const groups = groupNotices(notices)
  const button = { label: 'All notices', url: noticesUrl(baseUrl) }
  const mail = composeNewsMail(to, subjectOf(groups), 'This is new for you.', newsOf(parts, groups), button)
  return { ...mail, unsubscribeUrl: endUrl(endOf(notices, 'digest')) }
}

/** What the person wants to hear of at once; several events that happened within a minute. */
export function atOnceMail(parts: MailParts): MailMessage {
  const { to, baseUrl, notices, endUrl } = parts
  const groups = groupNotices(notices)
  const [only, ...others] = notices
  const isOne = only !== undefined && others.length === 0
  const subject = isOne ? subjectOfOne(only) : subjectOf(groups)
  const button = isOne
    ? { label: 'Open it', url: only.url }
    : { label: 'All notices', url: noticesUrl(baseUrl) }
  const mail = composeNewsMail(to, subject, 'This is new for you.', newsOf(parts, groups), button)
  return { ...mail, unsubscribeUrl: endUrl(endOf(notices, notices[0]?.kind ?? 'digest')) }
}

/** A mail with one kind only ends that kind. */
function endOf(notices: readonly Notice[], otherwise: MailEnd): MailEnd {
  const [kind, ...others] = new Set(notices.map((notice) => notice.kind))
  return others.length === 0 && kind !== undefined ? kind : otherwise
}

interface Group {
  name: string
  url: string | null
  notices: readonly Notice[]
}

/** By listing; what belongs to none, by kind. */
function groupNotices(notices: readonly Notice[]): Group[] {
  const byPlace = Map.groupBy(notices, ({ game, kind }) => game?.uid ?? kind)
  return Array.from(byPlace.values()).flatMap((own): Group[] => {
    const [newest] = own
    if (!newest) return []
    const { game, kind } = newest
    const name = game ? withoutLinks(game.name) : NOTICE_FACTS[kind].name
    return [{ name, url: game?.url ?? null, notices: own }]
  })
}

function newsOf({ baseUrl, notices, endUrl }: MailParts, groups: readonly Group[]): MailNews {
  const shown = groups.slice(0, MAIL_GROUPS_MAX).map(toNewsGroup)
  const left = notices.length - shown.reduce((sum, { items }) => sum + items.length, 0)
  const kinds = new Set(notices.map(({ kind }) => kind))
  return {
    groups: shown,
    more: left > 0 ? `And ${formatNumber(left)} more.` : null,
    settingsUrl: noticeSettingsUrl(baseUrl),
    ends: Array.from(kinds, (kind) => ({ name: NOTICE_FACTS[kind].name, url: endUrl(kind) })),
  }
}

function toNewsGroup({ name, url, notices }: Group): NewsGroup {
  return { name, url, items: notices.slice(0, MAIL_LINES_MAX).map(toItem) }
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

function subjectOf(groups: readonly Group[]): string {
  const [first, ...others] = groups
  const rest = others.length === 0 ? '' : ` and ${plural(others.length, 'other')}`
  return `News of ${first?.name ?? ''}${rest}`
}

function subjectOfOne({ game, kind, title }: Notice): string {
  const { label } = NOTICE_FACTS[kind]
  const name = game ? withoutLinks(game.name) : label
  const shown = withoutLinks(title, TITLE_MAX)
  return shown === '' || shown === name ? `${label}: ${name}` : `${name}: ${shown}`
}
