import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { withoutLinks } from '../../../lib/text/names.ts'

interface AskedPromotion {
  listing: string
  version: string
  platform: string
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

export function approvalMail(to: Recipient, asked: AskedPromotion): MailMessage {
  const { listing, version, platform, askedBy, link, hours } = asked
  return composeMail(to, 'Approve the release of a build', [
    `A program (${withoutLinks(askedBy)}) wants to release version ${withoutLinks(version)} of "${withoutLinks(listing)}" for ${platform} to all players, by making it the stable build. Open this page to approve or reject the release:`,
    link,
    `The link can be used once, within ${hours} hours. Nothing is released until you approve.`,
  ])
}
