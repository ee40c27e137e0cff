import { composeMail, type MailMessage, REACH_OPERATORS, type Recipient } from '../../../clients/mail/mail.ts'
import { NAME_MAX, showName, withoutLinks } from '../../../lib/text/names.ts'
import type { Finding } from '../check/model.ts'

const LISTED_MAX = 20

export interface MailedPage extends Recipient {
  title: string
  url: string
}

export function graceEndsMail(page: MailedPage, errors: readonly Finding[], endsAt: Date): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} will be hidden on ${day(endsAt)}`,
    [
      `The page of ${title} does not pass the listing check yet. On ${day(endsAt)} it will become invisible: it can be opened by its link, but no longer appears in search and browse.`,
      `Fix these points to keep it public:\n${list(errors)}`,
      `Your page: ${page.url}`,
    ],
    { label: 'Your page', url: page.url },
  )
}

export function graceEndedMail(page: MailedPage, errors: readonly Finding[]): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} is now hidden`,
    [
      `The page of ${title} did not pass the listing check in time and is now invisible: it can be opened by its link, but no longer appears in search and browse.`,
      `Fix these points to make it public again:\n${list(errors)}`,
      `Then publish the page again: ${page.url}`,
    ],
    { label: 'Publish again', url: page.url },
  )
}

export function takenDownMail(page: MailedPage, reason: string): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} was taken down`,
    [
      `The operators of this store took the page of ${title} down. Nobody but you and they can open it, nothing of it can be downloaded, and it cannot be published until they restore it.`,
      `Their reason: ${reason}`,
      `Your page: ${page.url}`,
      `To object, ${REACH_OPERATORS}.`,
    ],
    { label: 'Your page', url: page.url },
  )
}

export function restoredMail(page: MailedPage): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} is back`,
    [`The operators of this store restored the page of ${title}.`, `Your page: ${page.url}`],
    { label: 'Your page', url: page.url },
  )
}

export function publicationApprovedMail(page: MailedPage): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} is published`,
    [
      `The operators of this store approved the publication of ${title}. You can publish your next pages without waiting.`,
      `Your page: ${page.url}`,
    ],
    { label: 'Your page', url: page.url },
  )
}

export function publicationDeclinedMail(page: MailedPage, reason: string): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `${title} was not published`,
    [
      `The operators of this store declined the publication of ${title}. It stays a draft, with its builds.`,
      `Their reason: ${reason}`,
      `Change what they ask for, then publish it again: ${page.url}`,
    ],
    { label: 'Publish again', url: page.url },
  )
}

interface ReleasedPages {
  parent: string
  pages: readonly { title: string; url: string }[]
}

/** For the owner of listings whose parent was deleted. */
export function parentDeletedMail(to: Recipient, { parent, pages }: ReleasedPages): MailMessage {
  const name = withoutLinks(parent)
  const listed = pages.slice(0, LISTED_MAX).map(({ title, url }) => `- ${showName(title, NAME_MAX)}: ${url}`)
  const more = pages.length > LISTED_MAX ? [`- and ${pages.length - LISTED_MAX} more`] : []
  return composeMail(to, `${name} was deleted from the store`, [
    `The owner of ${name} deleted its page. Yours that belong to it stay as they are; they now name it as a title outside of this store:`,
    [...listed, ...more].join('\n'),
    'If it has a new address, or your page belongs to another title now, change the parent in the studio.',
  ])
}

function list(errors: readonly Finding[]): string {
  return errors.map(({ message }) => `- ${message}`).join('\n')
}

function day(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
