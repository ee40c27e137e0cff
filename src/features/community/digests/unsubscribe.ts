import { MAIL_ENDS, type MailEnd } from '../../../domain/notices.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Keyring } from '../../../lib/keyring.ts'

/** What a link in a mail may end: nothing else, and only of this account. */
export interface MailLink {
  userUid: string
  end: MailEnd
}

const messageOf = ({ userUid, end }: MailLink) => `mail end:${userUid}:${end}`

/** Valid as long as the key of the store: mails are kept for years, and the right to end them must not expire. */
export function createMailToken(keyring: Keyring, link: MailLink): string {
  return `${link.userUid}.${link.end}.${keyring.sign(messageOf(link))}`
}

/** Returns null for a token that the store did not make. */
export function openMailToken(keyring: Keyring, token: string): MailLink | null {
  const [userUid = '', sent = '', signature = '', ...more] = token.split('.')
  const end = MAIL_ENDS.find((known) => known === sent)
  if (more.length > 0 || end === undefined || !isUid(userUid)) return null
  const link = { userUid, end }
  return keyring.verify(messageOf(link), signature) ? link : null
}
