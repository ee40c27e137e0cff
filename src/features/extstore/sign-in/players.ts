import { AppError } from '../../../errors.ts'
import { askExtstore } from '../link/service.ts'
import { type Ownership, REFRESH_SECONDS, type SignedIn, TICKET_MAX } from './model.ts'
import { checkOwnership, openLink, openWebApiKey, type SignIn, type StoreGame } from './service.ts'
import { issueToken, loadSession } from './sessions.ts'

const HEX = /^(?:[0-9a-f]{2})+$/i
/** The store's value for an unknown owner. */
const UNKNOWN_OWNER = '0'

/** Issues a token if the store accepts the ticket and the account owns the game and is not banned from it. */
export async function signInPlayer(
  signIn: SignIn,
  ref: string,
  ticket: string,
  ip: string,
): Promise<SignedIn> {
  const link = await openLink(signIn, ref)
  requireTicket(ticket)
  const webApiKey = openWebApiKey(signIn, link.gameUid, link.webApiKey)
  const ask = { appId: link.appId, ticket, identity: link.ticketKey }
  const holder = await askExtstore(() => signIn.deps.extStore.authenticateTicket(webApiKey, ask))
  if (holder === null) throw new AppError('ticket_refused')
  if (holder.publisherBanned) {
    throw new AppError('not_an_owner', { message: 'The publisher has banned this account from the game.' })
  }
  await requireOwner(signIn, link, holder.extstoreId)
  const { extstoreId, ownerExtstoreId, vacBanned } = holder
  return await issueToken(signIn, link.gameUid, { extstoreId, ownerExtstoreId, vac: vacBanned, ip })
}

/** The store reports bans only with a ticket, so the ban claims of the old token are copied. */
export async function refreshToken(
  signIn: SignIn,
  ref: string,
  token: string,
  ip: string,
): Promise<SignedIn> {
  const link = await openLink(signIn, ref)
  const { claims, found } = await loadSession(signIn, link.gameUid, token)
  if (!claims) throw new AppError('session_token_invalid')
  if (found.isRevoked) {
    throw new AppError('session_token_invalid', {
      message: 'The token was revoked. Sign in with a new ticket.',
    })
  }
  if (Date.now() / 1000 > claims.exp + REFRESH_SECONDS) {
    throw new AppError('session_token_invalid', {
      message: 'The token expired more than 24 hours ago. Sign in with a new ticket.',
    })
  }
  const { owner_extstore_id: owner } = await requireOwner(signIn, link, claims.sub)
  const player = {
    extstoreId: claims.sub,
    ownerExtstoreId: owner === UNKNOWN_OWNER ? claims.sub : owner,
    vac: claims.vac,
    ip,
  }
  return await issueToken(signIn, link.gameUid, player, claims.jti)
}

/** Borrowed copies count: the store says whether the player may play, not whether they own the copy. */
async function requireOwner(signIn: SignIn, game: StoreGame, extstoreId: string): Promise<Ownership> {
  const ownership = await checkOwnership(signIn, game, extstoreId)
  if (ownership.owns_app) return ownership
  throw new AppError('not_an_owner', { message: 'This account does not own the game.' })
}

function requireTicket(ticket: string): void {
  if (HEX.test(ticket) && ticket.length <= TICKET_MAX) return
  throw new AppError('ticket_malformed', {
    message: `ticket must be the bytes of the ticket in hex, at most ${TICKET_MAX} characters.`,
  })
}
