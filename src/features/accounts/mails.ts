import { composeMail, REACH_OPERATORS, STORE_NAME } from '../../clients/mail/compose.ts'
import type { MailMessage } from '../../clients/mail/mail.ts'
import { plural } from '../../lib/text/plural.ts'

/** The address is not confirmed yet and may be somebody else's, so the mail contains neither name nor username. */
interface Unconfirmed {
  email: string
}

export function verificationMail({ email }: Unconfirmed, link: string): MailMessage {
  return composeMail({ email }, 'Confirm your e-mail address', [
    `Welcome to ${STORE_NAME}. Open this link while you are signed in, and confirm there that this address is yours:`,
    link,
    'You need a confirmed address to upload builds and to publish pages. The link is valid for one hour.',
    'If you did not ask for this, ignore this mail: nothing changes by opening the link.',
  ])
}

export function passwordResetMail({ email }: Unconfirmed, link: string): MailMessage {
  return composeMail({ email }, 'Set a new password', [
    `Someone, probably you, asked for a new password for your account at ${STORE_NAME}. Open this link to set one:`,
    link,
    'The link is valid for one hour. If you did not ask for it, ignore this mail. Your password stays the same.',
  ])
}

export function emailChangeMail({ email }: Unconfirmed, forgotUrl: string): MailMessage {
  return composeMail({ email }, 'Your e-mail address is about to change', [
    'Someone who knows your password, probably you, asked to move your account to another e-mail address. It moves when the link in the mail to that address is confirmed.',
    `If it was not you, set a new password now: ${forgotUrl}`,
  ])
}

export function accountDeletedMail({ email }: Unconfirmed): MailMessage {
  return composeMail({ email }, 'Your account was deleted', [
    'Your account and everything that belonged to it was deleted, as you asked. Nobody can sign in to it any more.',
  ])
}

export function suspendedMail({ email }: Unconfirmed, reason: string | null): MailMessage {
  return composeMail({ email }, 'Your account is suspended', [
    `The operators of this store suspended your account at ${STORE_NAME}. You cannot sign in, and its keys and connected programs do not work.`,
    ...(reason === null ? [] : [`Their reason: ${reason}`]),
    'Your published pages stay as they are.',
    `To object, ${REACH_OPERATORS}.`,
  ])
}

export function suspensionEndedMail({ email }: Unconfirmed, signInUrl: string): MailMessage {
  return composeMail({ email }, 'Your account works again', [
    `The operators of this store ended the suspension of your account at ${STORE_NAME}. Your keys and connected programs work again.`,
    `Sign in: ${signInUrl}`,
  ])
}

export interface EndedAccess {
  player_keys: number
  programs: number
}

export function accessEndedMail({ email }: Unconfirmed, ended: EndedAccess, signInUrl: string): MailMessage {
  const { player_keys: keys, programs } = ended
  const what = [
    ...(keys > 0 ? [plural(keys, 'player key')] : []),
    ...(programs > 0 ? [plural(programs, 'connected program')] : []),
  ]
  const list = what.join(' and ')
  return composeMail({ email }, 'Your password was changed', [
    `The password of your account at ${STORE_NAME} was changed, and every other browser was signed out.`,
    ...(list
      ? [`These were ended too: ${list}. Create new keys and connect your programs again if you need them.`]
      : []),
    `If you did not change it, first make sure that nobody else can read your mail, then ask for a new password: ${signInUrl}`,
  ])
}
