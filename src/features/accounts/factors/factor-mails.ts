import { composeMail, REACH_OPERATORS, STORE_NAME } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { plural } from '../../../lib/text/plural.ts'

interface Recipient {
  email: string
}

/** What to do about a change that somebody else made. */
function ifNotYou(baseUrl: string): string {
  return `If it was not you, set a new password now: ${baseUrl}/forgot. That signs every browser out. Then look at “Sign-in security” in your account and remove what you do not know.`
}

export function factorAddedMail({ email }: Recipient, factor: string, baseUrl: string): MailMessage {
  return composeMail({ email }, 'Your account has a new way to sign in', [
    `This was added to your account at ${STORE_NAME}: ${factor}.`,
    ifNotYou(baseUrl),
  ])
}

export function factorRemovedMail({ email }: Recipient, factor: string, baseUrl: string): MailMessage {
  return composeMail({ email }, 'A way to sign in was removed', [
    `This was removed from your account at ${STORE_NAME}: ${factor}.`,
    ifNotYou(baseUrl),
  ])
}

export function recoveryCodeUsedMail({ email }: Recipient, left: number, baseUrl: string): MailMessage {
  const rest = `${plural(left, 'code is', 'codes are')} left.`
  return composeMail({ email }, 'A recovery code was used', [
    `Somebody signed in to your account at ${STORE_NAME} with the password and a recovery code. ${rest} Make new codes in your account when few are left.`,
    ifNotYou(baseUrl),
  ])
}

export function recoveryCodesMadeMail({ email }: Recipient, baseUrl: string): MailMessage {
  return composeMail({ email }, 'New recovery codes', [
    `New recovery codes were made for your account at ${STORE_NAME}. The codes from before no longer work.`,
    ifNotYou(baseUrl),
  ])
}

export function factorsResetMail({ email }: Recipient, reason: string, baseUrl: string): MailMessage {
  return composeMail({ email }, 'Your sign-in factors were reset', [
    `The operators of this store removed the passkeys, the authenticator app and the recovery codes of your account at ${STORE_NAME}, and signed every browser out.`,
    `Their reason: ${reason}`,
    `Sign in with your password and set them up again: ${baseUrl}/sign-in`,
    `If you did not ask for this, set a new password: ${baseUrl}/forgot`,
    `To ask why, ${REACH_OPERATORS}.`,
  ])
}
