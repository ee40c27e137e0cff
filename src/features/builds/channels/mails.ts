import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { withoutLinks } from '../../../lib/names.ts'

interface AskedPromotion {
  listing: string
  version: string
  platform: string
  askedBy: string
  link: string
  hours: number
}

export function approvalMail(to: Recipient, asked: AskedPromotion): MailMessage {
  const { listing, version, platform, askedBy, link, hours } = asked
  return composeMail(to, 'A program asks to release a build', [
    `A program that acts for ${askedBy} asks to make version ${withoutLinks(version)} of "${withoutLinks(listing)}" for ${platform} the stable build, which every player gets. Open this page to approve or to reject it:`,
    link,
    `The link works once, for ${hours} hours. Nothing changes until you approve.`,
  ])
}
