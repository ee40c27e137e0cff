import { composeMail, STORE_NAME } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'

export function accountInvitationMail(email: string, link: string): MailMessage {
  return composeMail({ email }, `Your account at ${STORE_NAME}`, [
    `The people who run ${STORE_NAME} made room for your account. Open this link, and choose a name and a password:`,
    link,
    'The link works once, for this address, for two weeks. If you did not expect it, ignore this mail.',
  ])
}
