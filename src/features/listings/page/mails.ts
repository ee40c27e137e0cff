import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { NAME_MAX, showName } from '../../../lib/names.ts'
import type { Finding } from '../check/model.ts'

interface Page extends Recipient {
  title: string
  url: string
}

export function graceEndsMail(page: Page, errors: readonly Finding[], endsAt: Date): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(page, `${title} will be hidden on ${day(endsAt)}`, [
    `the page of ${title} does not pass the listing check yet. On ${day(endsAt)} it will become invisible: reachable by its link, but no longer in search and browse.`,
    `What is missing:\n${list(errors)}`,
    `Your page: ${page.url}`,
  ])
}

export function graceEndedMail(page: Page, errors: readonly Finding[]): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(page, `${title} is hidden now`, [
    `the page of ${title} still does not pass the listing check, so it is invisible now: reachable by its link, but no longer in search and browse.`,
    `What is missing:\n${list(errors)}`,
    `Publish it again when this is done: ${page.url}`,
  ])
}

function list(errors: readonly Finding[]): string {
  return errors.map(({ message }) => `- ${message}`).join('\n')
}

function day(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
