import { INVITATION_NEEDED, SIGN_UP_CLOSED } from '../../features/accounts/invitations/refusals.ts'
import { Notice } from '../components/notice.tsx'

const INVITATION =
  'You have no account here yet, and this store does not let everyone create one. Open the link of your invitation, then try again.'

/** By the code that the account library sends the browser back with. */
const FAULTS: Readonly<Record<string, string>> = {
  account_not_linked:
    'There is an account with this e-mail address. Sign in to it as usual; then connect the other sign-in under “Sign-in security” in your account.',
  email_not_found:
    'The other side told no e-mail address of you, or not one valid address. Allow or correct it there, then try again.',
  email_does_not_match:
    'The address that the other side has of you is not the one of this account. Change one of them, then connect again.',
  unable_to_link_account:
    'The other side has not confirmed your e-mail address. Confirm it there, then connect again.',
  account_already_linked_to_different_user:
    'It signs in to another account of this store. Disconnect it there first.',
  [INVITATION_NEEDED]: INVITATION,
  [SIGN_UP_CLOSED]: INVITATION,
  access_denied: 'The other side did not let you in, or you said no there.',
  invalid_code:
    'The other side did not answer in time, or not as it should. Try again later, or sign in otherwise.',
  unable_to_get_user_info:
    'The other side did not say who you are in time, or not as it should. Try again later, or sign in otherwise.',
}
const FAILED = 'The sign-in by others did not work. Try again, or sign in otherwise.'

/** Why a provider sent the browser back without success. */
export function ProviderFault({ error }: { error: string | undefined }) {
  if (error === undefined) return null
  return <Notice tone="bad">{Object.hasOwn(FAULTS, error) ? FAULTS[error] : FAILED}</Notice>
}
