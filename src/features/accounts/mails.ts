import { composeMail } from '../../clients/mail/compose.ts'
import type { MailMessage } from '../../clients/mail/mail.ts'

/** Nobody confirmed yet that the address belongs to the person who chose the name: neither is named. */
interface Unconfirmed {
  email: string
}

export function verificationMail({ email }: Unconfirmed, link: string): MailMessage {
  return composeMail({ email }, 'Confirm your e-mail address', [
    'welcome to Playshelf. Open this link to confirm that this address is yours:',
    link,
    'Uploading builds and publishing pages need a confirmed address. The link is valid for one hour.',
    'If you did not ask for this, ignore this mail.',
  ])
}

export function passwordResetMail({ email }: Unconfirmed, link: string): MailMessage {
  return composeMail({ email }, 'Set a new password', [
    'someone, probably you, asked for a new password. Open this link to set one:',
    link,
    'The link is valid for one hour. If it was not you, ignore this mail: nothing changes.',
  ])
}

export function emailChangeMail({ email }: Unconfirmed, forgotUrl: string): MailMessage {
  return composeMail({ email }, 'Your e-mail address is about to change', [
    'someone who knows your password, probably you, asked to move your account to another e-mail address. It moves when the link in the mail to that address is opened.',
    `If it was not you, set a new password now: ${forgotUrl}`,
  ])
}

export function accountDeletedMail({ email }: Unconfirmed): MailMessage {
  return composeMail({ email }, 'Your account was deleted', [
    'your account and everything that belonged to it was deleted, as you asked. Nobody can sign in to it any more.',
  ])
}

export interface EndedAccess {
  player_keys: number
  programs: number
}

export function accessEndedMail({ email }: Unconfirmed, ended: EndedAccess, signInUrl: string): MailMessage {
  const what = [count(ended.player_keys, 'player key'), count(ended.programs, 'connected program')]
  const list = what.filter((part) => part !== null).join(' and ')
  return composeMail({ email }, 'Your password was changed', [
    'Your password was changed, and every other browser was signed out.',
    ...(list
      ? [`These stopped working too: ${list}. Make new keys and connect programs again as you need them.`]
      : []),
    `If it was not you, make sure that nobody else reads your mails, then ask for a new password: ${signInUrl}`,
  ])
}

function count(number: number, thing: string): string | null {
  if (number === 0) return null
  return number === 1 ? `1 ${thing}` : `${number} ${thing}s`
}
