import { isIP } from 'node:net'

import { renderSVG } from 'uqr'

import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { CONFIRMED_MS, isConfirmed, lacksFactor } from '../../../domain/confirmation.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isUid } from '../../../lib/ids.ts'
import { isLoopbackHost } from '../../../lib/net/addresses.ts'
import { respond } from '../../../lib/respond.ts'
import { createTotpSecret, totpAddress } from '../../../lib/totp.ts'
import { sendMail } from '../../mail/jobs.ts'
import { settingsOf } from '../../settings/reader.ts'
import { forgetAccount } from '../account-cache.ts'
import { usesPassword } from '../confirmation.ts'
import * as mails from '../mails.ts'
import {
  type Factors,
  LABEL_MAX,
  type NewAuthenticator,
  Passkey,
  type RecoveryCodes,
  TrustedBrowser,
} from '../model.ts'
import {
  countSignIns,
  deleteConnection,
  deleteSessions,
  findUser,
  listConnections,
  lockSession,
  lockUser,
} from '../queries.ts'
import { nameBrowser } from '../sessions/session-list.ts'
import { consumeCode, replaceRecoveryCodes, wrongCode } from './codes.ts'
import * as queries from './factor-queries.ts'
import { countPasskeys } from './factor-queries.ts'

const AUTHENTICATOR = 'an authenticator app'

/** The section Sign-in security of the account. */
export async function listFactors(deps: Deps, user: WebsiteUser): Promise<Factors> {
  const { db, config } = deps
  const { second_factor: policy } = await settingsOf(deps).read()
  const { userUid, confirmedAt, hasSecondFactor } = user
  const [app, left, keys, browsers, connected] = await Promise.all([
    queries.findAuthenticator(db, userUid),
    queries.countRecoveryCodes(db, userUid),
    queries.listPasskeys(db, userUid),
    queries.listTrustedBrowsers(db, userUid, new Date()),
    listConnections(db, userUid),
  ])
  const until = confirmedAt && isConfirmed(user) ? new Date(confirmedAt.getTime() + CONFIRMED_MS) : null
  return {
    second_factor: hasSecondFactor,
    required: lacksFactor(policy, { ...user, hasSecondFactor: false }),
    authenticator_app: (app?.confirmedAt ?? null) !== null,
    recovery_codes_left: left,
    passkeys: keys.map((key) => respond(Passkey, key, { name: key.name ?? 'Passkey' })),
    trusted_browsers: browsers.map((row) =>
      respond(TrustedBrowser, row, { browser: nameBrowser(row.userAgent ?? '') }),
    ),
    providers: config.signInProviders.map(({ id, name }) => ({
      id,
      name,
      connected_at: connected.get(id)?.toISOString() ?? null,
    })),
    passkeys_off: explainPasskeysOff(config.baseUrl),
    confirmed_until: until?.toISOString() ?? null,
  }
}

/** The app counts as a factor once a code has confirmed that it has the secret. */
export async function startAuthenticator(deps: Deps, user: WebsiteUser): Promise<NewAuthenticator> {
  const { userUid, email } = user
  await countChange(deps, userUid)
  const secret = createTotpSecret()
  const sealed = deps.keyring.encrypt(secret, encryptionContext.authenticator(userUid))
  if (!(await queries.storeAuthenticator(deps.db, userUid, sealed))) {
    throw new AppError('taken', {
      message: 'Your account already has an authenticator app. Remove it before you add another.',
    })
  }
  return describeApp(deps, secret, email)
}

/** The app that is not confirmed yet, for a page that shows it again; null if there is none. */
export async function findStartedApp(
  deps: Deps,
  { userUid, email }: WebsiteUser,
): Promise<NewAuthenticator | null> {
  const app = await queries.findAuthenticator(deps.db, userUid)
  if (!app || app.confirmedAt) return null
  const secret = deps.keyring.decrypt(app.secret, encryptionContext.authenticator(userUid))
  return describeApp(deps, secret, email)
}

/** Authenticator apps list it under the name of the store. */
function describeApp(deps: Deps, secret: string, email: string): NewAuthenticator {
  const address = totpAddress(secret, settingsOf(deps).storefront().settings.name, email)
  return { secret, address, qr_svg: renderSVG(address) }
}

/** Returns recovery codes if the account had none. */
export async function confirmAuthenticator(
  deps: Deps,
  user: WebsiteUser,
  code: string,
): Promise<RecoveryCodes> {
  const { userUid } = user
  await countChange(deps, userUid)
  const app = await queries.findAuthenticator(deps.db, userUid)
  if (!app || app.confirmedAt) throw notStarted()
  if (!(await consumeCode(deps, app, code))) throw wrongCode()
  return await changeFactors(deps, user, async (tx) => {
    if (!(await queries.confirmAuthenticator(tx, userUid, app.secret))) throw notStarted()
    await mailFactorAdded(deps, tx, user.email, AUTHENTICATOR)
    const hasCodes = (await queries.countRecoveryCodes(tx, userUid)) > 0
    return { recovery_codes: hasCodes ? [] : await replaceRecoveryCodes(tx, userUid) }
  })
}

export async function removeAuthenticator(deps: Deps, user: WebsiteUser): Promise<void> {
  await changeFactors(deps, user, async (tx) => {
    if (!(await queries.deleteAuthenticator(tx, user.userUid))) throw new AppError('not_found')
    await mailFactorRemoved(deps, tx, user.email, AUTHENTICATOR)
  })
}

export async function renewRecoveryCodes(deps: Deps, user: WebsiteUser): Promise<RecoveryCodes> {
  await countChange(deps, user.userUid)
  if (!user.hasSecondFactor) {
    throw new AppError('taken', { message: 'Add a passkey or an authenticator app first.' })
  }
  return await changeFactors(deps, user, async (tx) => {
    const recovery_codes = await replaceRecoveryCodes(tx, user.userUid)
    await enqueue(tx, sendMail, mails.recoveryCodesMadeMail(user, deps.config.baseUrl))
    return { recovery_codes }
  })
}

export async function renamePasskey(deps: Deps, user: WebsiteUser, uid: string, name: string): Promise<void> {
  const trimmed = name.trim()
  if (trimmed === '') throw invalidField('name', `must have 1 to ${LABEL_MAX} characters.`)
  if (!isUid(uid) || !(await queries.renamePasskey(deps.db, user.userUid, uid, trimmed)))
    throw new AppError('not_found')
}

export async function removePasskey(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  await changeFactors(deps, user, async (tx) => {
    const removed = isUid(uid) ? await queries.deletePasskey(tx, user.userUid, uid) : undefined
    if (!removed) throw new AppError('not_found')
    await mailFactorRemoved(deps, tx, user.email, describePasskey(removed.name))
  })
}

export async function forgetBrowser(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  if (!isUid(uid) || (await queries.forgetTrustedBrowsers(deps.db, user.userUid, uid)) === 0)
    throw new AppError('not_found')
}

export function describePasskey(name: string | null | undefined): string {
  return `the passkey “${name ?? 'Passkey'}”`
}

export async function mailFactorAdded(deps: Deps, tx: Db, email: string, factor: string): Promise<void> {
  await enqueue(tx, sendMail, mails.factorAddedMail({ email }, factor, deps.config.baseUrl))
}

async function mailFactorRemoved(deps: Deps, tx: Transaction, email: string, factor: string): Promise<void> {
  await enqueue(tx, sendMail, mails.factorRemovedMail({ email }, factor, deps.config.baseUrl))
}

/** Locks the session: a reset either ended it before, or runs afterwards and removes what this adds. */
async function changeFactors<Result>(
  deps: Deps,
  { userUid, sessionUid }: WebsiteUser,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return await deps.db.transaction(async (tx) => {
    if (!(await lockSession(tx, sessionUid))) throw new AppError('unauthorized')
    await lockUser(tx, userUid)
    const result = await work(tx)
    await updateFactorState(deps, tx, userUid)
    return result
  })
}

/** Call after every change of factors. After the last one, recovery codes and trusted browsers are deleted too. */
export async function updateFactorState(deps: Deps, tx: Transaction, userUid: string): Promise<void> {
  if (!(await queries.updateFactorFlag(tx, userUid))) {
    await queries.replaceRecoveryCodes(tx, userUid, [])
    await queries.forgetTrustedBrowsers(tx, userUid)
  }
  await forgetAccount(deps, tx, userUid)
}

/** Deletes the app, the passkeys and the recovery codes. */
export async function deleteFactors(deps: Deps, tx: Transaction, userUid: string): Promise<void> {
  await queries.deleteAuthenticator(tx, userUid)
  await queries.deletePasskeys(tx, userUid)
  await updateFactorState(deps, tx, userUid)
}

async function countChange({ rates }: Deps, userUid: string): Promise<void> {
  await countRequest(rates, ['factor_change'], () => userUid, {})
}

function notStarted(): AppError {
  return new AppError('taken', { message: 'No authenticator app waits for a code. Start with the QR code.' })
}

/** Browsers bind passkeys to a host name. Null where they work; otherwise why not, and what to do. */
export function explainPasskeysOff(baseUrl: string): string | null {
  const url = new URL(baseUrl)
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) return null
  const why = 'Passkeys need a host name, and this store is opened by an IP address.'
  if (!isLoopbackHost(url.hostname)) return `${why} Ask its operators to give it a name.`
  url.hostname = 'localhost'
  return `${why} Start it with BASE_URL=${url.origin}, then open ${url.origin} instead.`
}

/** For people who lost their devices. Ends the sessions first, because one may be adding a factor. */
export async function resetFactors(
  deps: Deps,
  tx: Transaction,
  { uid, email }: { uid: string; email: string },
  reason: string,
): Promise<void> {
  await deleteSessions(tx, uid)
  await deleteFactors(deps, tx, uid)
  await enqueue(tx, sendMail, mails.factorsResetMail({ email }, reason, deps.config.baseUrl))
}

/** Called for every sign-in row that the library adds. The first one belongs to a new account, which needs no mail. */
export async function mailProviderConnected(
  deps: Deps,
  db: Db,
  { userId, providerId }: { userId: string; providerId: string },
): Promise<void> {
  if (providerId === 'credential' || (await countSignIns(db, userId)) < 2) return
  const user = await findUser(db, userId)
  if (user) await mailFactorAdded(deps, db, user.email, describeProvider(deps, providerId))
}

/** Refuses to remove the last way to sign in. */
export async function disconnectProvider(deps: Deps, user: WebsiteUser, provider: string): Promise<void> {
  const { userUid, email } = user
  await changeFactors(deps, user, async (tx) => {
    if (!(await deleteConnection(tx, userUid, provider))) throw new AppError('not_found')
    const isReachable =
      (await listConnections(tx, userUid)).size > 0 ||
      (await countPasskeys(tx, userUid)) > 0 ||
      (await usesPassword({ config: deps.config, db: tx }, userUid))
    if (!isReachable) {
      throw new AppError('taken', {
        message: 'This is the only way to sign in to your account. Add a passkey or a password first.',
      })
    }
    await mailFactorRemoved(deps, tx, email, describeProvider(deps, provider))
  })
}

function describeProvider({ config }: Deps, id: string): string {
  const name = config.signInProviders.find((provider) => provider.id === id)?.name ?? id
  return `the sign-in by ${name}`
}
