import type { GenericEndpointContext } from 'better-auth'

import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60
/** Accounts that one browser is remembered for. */
const ACCOUNTS_MAX = 5
const ID_LENGTH = 22

/**
 * A signed cookie names the accounts that this browser signed in to. It grants no access: wrong passwords and
 * codes of such a browser are only counted separately. A mark becomes invalid when the password changes.
 */
export async function loadKnownBrowser(
  ctx: GenericEndpointContext,
  email: string,
): Promise<{ id: string; mark: string } | null> {
  const cookie = await readCookie(ctx)
  if (cookie === null) return null
  const found = await ctx.context.internalAdapter.findUserByEmail(email, { includeAccounts: true })
  if (!found) return null
  const hash = found.accounts.find(({ providerId }) => providerId === 'credential')?.password
  const mark = markOf(found.user.id, hash ?? '')
  return cookie.marks.includes(mark) ? { id: cookie.id, mark } : null
}

/** Call once the browser has proved that it knows the account's password, or its mailbox. */
export async function rememberBrowser(ctx: GenericEndpointContext, userUid: string): Promise<void> {
  const account = await ctx.context.internalAdapter.findCredentialAccount(userUid)
  const { id, marks } = (await readCookie(ctx)) ?? { id: createSecret().slice(0, ID_LENGTH), marks: [] }
  const kept = [...new Set([markOf(userUid, account?.password ?? ''), ...marks])].slice(0, ACCOUNTS_MAX)
  const { name, attributes } = cookieOf(ctx)
  await ctx.setSignedCookie(name, [id, ...kept].join('.'), ctx.context.secret, attributes)
}

function cookieOf(ctx: GenericEndpointContext) {
  return ctx.context.createAuthCookie('known_browser', { maxAge: YEAR_SECONDS })
}

async function readCookie(ctx: GenericEndpointContext): Promise<{ id: string; marks: string[] } | null> {
  const value = await ctx.getSignedCookie(cookieOf(ctx).name, ctx.context.secret)
  if (!value) return null
  const [id = '', ...marks] = value.split('.')
  return { id, marks }
}

/**
 * Reveals nothing, because the hash of the password is salted and secret. Accounts without a password have no
 * mark.
 */
function markOf(userUid: string, passwordHash: string): string {
  return sha256Hex(`${userUid} ${passwordHash}`).slice(0, ID_LENGTH)
}
