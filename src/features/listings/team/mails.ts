import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { studioUrl } from '../../../domain/site-urls.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import type { Removed } from './model.ts'

interface Invitation {
  listing: string
  owner: string
  link: string
}

export function inviteMail(to: Recipient, { listing, owner, link }: Invitation): MailMessage {
  return composeMail(to, 'You are invited to help run a listing', [
    `${owner} invites you to help run "${withoutLinks(listing)}". Open this page to accept or decline the invite:`,
    link,
    'If you do not expect this invite, ignore this mail. Nothing changes until you accept.',
  ])
}

interface Departure {
  listing: string
  vanityName: string
  baseUrl: string
  /** The username of the person who left. */
  admin: string
}

export function remainingKeysMail(
  to: Recipient,
  { listing, vanityName, baseUrl, admin }: Departure,
  { deploy_keys: keys = [], extstore_auth_key_last4: authKey }: Removed,
): MailMessage {
  return composeMail(to, 'Renew the keys of your listing', [
    `${admin} no longer helps run "${listing}", but may still have copies of its keys. The keys still work, so that your pipelines and servers keep running until you replace them.`,
    ...keys.flatMap(({ last4, created_at: issued }) => [
      `${admin} issued the deploy key that ends in ${last4} on ${issued.slice(0, 10)}. It can upload builds. Issue a new key, which revokes this one, and give it to your pipelines:`,
      studioUrl(baseUrl, vanityName, 'publishing'),
    ]),
    ...(authKey === undefined
      ? []
      : [
          `${admin} could read the auth key that ends in ${authKey}. It signs the session tokens of external-store sign-in. Create a new key, which revokes this one and every token, and give it to your servers:`,
          studioUrl(baseUrl, vanityName, 'sign-in'),
        ]),
  ])
}
