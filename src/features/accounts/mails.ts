import type { MailButton } from '../../clients/mail/mail-html.ts'
import { composeMail, type MailMessage, REACH_OPERATORS, STORE_NAME } from '../../clients/mail/mail.ts'
import { plural } from '../../lib/text/show.ts'

/** An unconfirmed address may be somebody else's, so these mails contain neither name nor username. */
interface Mailbox {
  email: string
}

export function verificationMail({ email }: Mailbox, link: string): MailMessage {
  return composeMail(
    { email },
    'Confirm your e-mail address',
    [
      `Welcome to ${STORE_NAME}. Open this link while you are signed in, and confirm there that this address is yours:`,
      link,
      'You need a confirmed address to upload builds and to publish pages. The link is valid for one hour.',
      'If you did not ask for this, ignore this mail: nothing changes by opening the link.',
    ],
    { label: 'Confirm your address', url: link },
  )
}

export function passwordResetMail({ email }: Mailbox, link: string): MailMessage {
  return composeMail(
    { email },
    'Set a new password',
    [
      `Someone, probably you, asked for a new password for your account at ${STORE_NAME}. Open this link to set one:`,
      link,
      'The link is valid for one hour. If you did not ask for it, ignore this mail. Your password stays the same.',
    ],
    { label: 'Set a new password', url: link },
  )
}

export function emailChangeMail({ email }: Mailbox, forgotUrl: string): MailMessage {
  return composeMail(
    { email },
    'Your e-mail address is about to change',
    [
      'Someone who knows your password, probably you, asked to move your account to another e-mail address. It moves when the link in the mail to that address is confirmed.',
      `If it was not you, set a new password now: ${forgotUrl}`,
    ],
    { label: 'Set a new password', url: forgotUrl },
  )
}

export function accountDeletedMail({ email }: Mailbox): MailMessage {
  return composeMail({ email }, 'Your account was deleted', [
    'Your account and everything that belonged to it was deleted, as you asked. Nobody can sign in to it any more.',
  ])
}

export function suspendedMail({ email }: Mailbox, reason: string | null): MailMessage {
  return composeMail({ email }, 'Your account is suspended', [
    `The operators of this store suspended your account at ${STORE_NAME}. You cannot sign in, and its keys and connected programs do not work.`,
    ...(reason === null ? [] : [`Their reason: ${reason}`]),
    'Your published pages stay as they are.',
    `To object, ${REACH_OPERATORS}.`,
  ])
}

export function suspensionEndedMail({ email }: Mailbox, signInUrl: string): MailMessage {
  return composeMail(
    { email },
    'Your account works again',
    [
      `The operators of this store ended the suspension of your account at ${STORE_NAME}. Your keys and connected programs work again.`,
      `Sign in: ${signInUrl}`,
    ],
    { label: 'Sign in', url: signInUrl },
  )
}

export interface EndedAccess {
  player_keys: number
  programs: number
}

export function accessEndedMail({ email }: Mailbox, ended: EndedAccess, signInUrl: string): MailMessage {
  const { player_keys: keys, programs } = ended
  const what = [
    ...(keys > 0 ? [plural(keys, 'player key')] : []),
    ...(programs > 0 ? [plural(programs, 'connected program')] : []),
  ]
  const list = what.join(' and ')
  return composeMail(
    { email },
    'Your password was changed',
    [
      `The password of your account at ${STORE_NAME} was changed, and every other browser was signed out.`,
      ...(list
        ? [`These were ended too: ${list}. Create new keys and connect your programs again if you need them.`]
        : []),
      `If you did not change it, first make sure that nobody else can read your mail, then ask for a new password: ${signInUrl}`,
    ],
    { label: 'Ask for a new password', url: signInUrl },
  )
}

/** What to do about a change that somebody else made. */
function ifNotYou(baseUrl: string): string {
  return `If it was not you, set a new password now: ${baseUrl}/forgot\n\nThat signs every browser out. Then look at “Sign-in security” in your account and remove what you do not know.`
}

function notYou(baseUrl: string): MailButton {
  return { label: 'Set a new password', url: `${baseUrl}/forgot` }
}

export function factorAddedMail({ email }: Mailbox, factor: string, baseUrl: string): MailMessage {
  return composeMail(
    { email },
    'Your account has a new way to sign in',
    [`This was added to your account at ${STORE_NAME}: ${factor}.`, ifNotYou(baseUrl)],
    notYou(baseUrl),
  )
}

export function factorRemovedMail({ email }: Mailbox, factor: string, baseUrl: string): MailMessage {
  return composeMail(
    { email },
    'A way to sign in was removed',
    [`This was removed from your account at ${STORE_NAME}: ${factor}.`, ifNotYou(baseUrl)],
    notYou(baseUrl),
  )
}

export function recoveryCodeUsedMail({ email }: Mailbox, left: number, baseUrl: string): MailMessage {
  const rest = `${plural(left, 'code is', 'codes are')} left.`
  return composeMail(
    { email },
    'A recovery code was used',
    [
      `Somebody signed in to your account at ${STORE_NAME} with the password and a recovery code. ${rest} Make new codes in your account when few are left.`,
      ifNotYou(baseUrl),
    ],
    notYou(baseUrl),
  )
}

export function recoveryCodesMadeMail({ email }: Mailbox, baseUrl: string): MailMessage {
  return composeMail(
    { email },
    'New recovery codes',
    [
      `New recovery codes were made for your account at ${STORE_NAME}. The codes from before no longer work.`,
      ifNotYou(baseUrl),
    ],
    notYou(baseUrl),
  )
}

export function factorsResetMail({ email }: Mailbox, reason: string, baseUrl: string): MailMessage {
  return composeMail(
    { email },
    'Your sign-in factors were reset',
    [
      `The operators of this store removed the passkeys, the authenticator app and the recovery codes of your account at ${STORE_NAME}, and signed every browser out.`,
      `Their reason: ${reason}`,
      `Sign in with your password and set them up again: ${baseUrl}/sign-in`,
      `If you did not ask for this, set a new password: ${baseUrl}/forgot`,
      `To ask why, ${REACH_OPERATORS}.`,
    ],
    { label: 'Sign in', url: `${baseUrl}/sign-in` },
  )
}
