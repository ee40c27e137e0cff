import { composeMail, type MailMessage, REACH_OPERATORS, type Recipient } from '../../../clients/mail/mail.ts'
import { NAME_MAX, showName, withoutLinks } from '../../../lib/text/names.ts'

interface MailedPage extends Recipient {
  title: string
  url: string
}

interface AskedPublication {
  listing: string
  title: string
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

export function publicationMail(to: Recipient, asked: AskedPublication): MailMessage {
  const { listing, title, askedBy, link, hours } = asked
  return composeMail(
    to,
    'Approve the publication of a post',
    [
      `A program (${withoutLinks(askedBy)}) wants to publish the post "${withoutLinks(title)}" of "${withoutLinks(listing)}". Open this page to read it, and to approve or reject it:`,
      link,
      `The link can be used once, within ${hours} hours. Nothing is published until you approve.`,
    ],
    { label: 'Read the post', url: link },
  )
}

export function postTakenDownMail(page: MailedPage, post: string, reason: string): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `A post of ${title} was taken down`,
    [
      `The operators of this store took the post "${withoutLinks(post)}" of ${title} down. Nobody else can read it, and it cannot be published until they restore it.`,
      `Their reason: ${reason}`,
      `Your page: ${page.url}`,
      `To object, ${REACH_OPERATORS}.`,
    ],
    { label: 'Your page', url: page.url },
  )
}

export function postRestoredMail(page: MailedPage, post: string): MailMessage {
  const title = showName(page.title, NAME_MAX)
  return composeMail(
    page,
    `A post of ${title} is back`,
    [
      `The operators of this store restored the post "${withoutLinks(post)}" of ${title}.`,
      `Your page: ${page.url}`,
    ],
    { label: 'Your page', url: page.url },
  )
}
