import { renderSVG } from 'uqr'

import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { CONFIRMED_MS, isConfirmed } from '../../../domain/confirmation.ts'
import { lacksFactor } from '../../../domain/second-factor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isUid } from '../../../lib/ids.ts'
import { createTotpSecret, totpAddress } from '../../../lib/totp.ts'
import { sendMail } from '../../mail/jobs.ts'
import { settingsOf } from '../../settings/reader.ts'
import { forgetAccount } from '../account-cache.ts'
import { LABEL_MAX } from '../model.ts'
import { listConnections } from '../providers/connection-queries.ts'
import { holdSession, lockUser } from '../queries.ts'
import { nameBrowser } from '../sessions/session-list.ts'
import { makeRecoveryCodes, takeCode } from './codes.ts'
import * as mails from './factor-mails.ts'
import type { Factors, NewAuthenticator, RecoveryCodes } from './factor-model.ts'
import * as queries from './factor-queries.ts'
import { explainPasskeysOff } from './passkey-host.ts'

export const AUTHENTICATOR = 'an authenticator app'

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
    passkeys: keys.map(({ uid, name, createdAt, lastUsedAt }) => ({
      uid,
      name: name ?? 'Passkey',
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
    trusted_browsers: browsers.map(({ uid, userAgent, createdAt, expiresAt }) => ({
      uid,
      browser: nameBrowser(userAgent ?? ''),
      last_used_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
    providers: config.signInProviders.map(({ id, name }) => ({
      id,
      name,
      connected_at: connected.get(id)?.toISOString() ?? null,
    })),
    passkeys_off: explainPasskeysOff(config.baseUrl),
    confirmed_until: until?.toISOString() ?? null,
  }
}

/** The app is used from the moment on that a code has shown that it has the secret. */
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

/** The app that waits for its code, for a page that shows it again; null if none does. */
export async function readStartedApp(
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

/** Returns recovery codes where there were none. */
export async function confirmAuthenticator(
  deps: Deps,
  user: WebsiteUser,
  code: string,
): Promise<RecoveryCodes> {
  const { userUid } = user
  await countChange(deps, userUid)
  const app = await queries.findAuthenticator(deps.db, userUid)
  if (!app || app.confirmedAt) throw notStarted()
  if (!(await takeCode(deps, app, code))) throw wrongCode()
  return await changeFactors(deps, user, async (tx) => {
    if (!(await queries.confirmAuthenticator(tx, userUid, app.secret))) throw notStarted()
    await tellAdded(deps, tx, user.email, AUTHENTICATOR)
    const hasCodes = (await queries.countRecoveryCodes(tx, userUid)) > 0
    return { recovery_codes: hasCodes ? [] : await makeRecoveryCodes(tx, userUid) }
  })
}

export async function removeAuthenticator(deps: Deps, user: WebsiteUser): Promise<void> {
  await changeFactors(deps, user, async (tx) => {
    if (!(await queries.deleteAuthenticator(tx, user.userUid))) throw new AppError('not_found')
    await tellRemoved(deps, tx, user.email, AUTHENTICATOR)
  })
}

export async function renewRecoveryCodes(deps: Deps, user: WebsiteUser): Promise<RecoveryCodes> {
  await countChange(deps, user.userUid)
  if (!user.hasSecondFactor) {
    throw new AppError('taken', { message: 'Add a passkey or an authenticator app first.' })
  }
  return await changeFactors(deps, user, async (tx) => {
    const recovery_codes = await makeRecoveryCodes(tx, user.userUid)
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
    await tellRemoved(deps, tx, user.email, describePasskey(removed.name))
  })
}

export async function forgetBrowser(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  if (!isUid(uid) || (await queries.forgetTrustedBrowsers(deps.db, user.userUid, uid)) === 0)
    throw new AppError('not_found')
}

export function describePasskey(name: string | null | undefined): string {
  return `the passkey “${name ?? 'Passkey'}”`
}

export async function tellAdded(deps: Deps, tx: Db, email: string, factor: string): Promise<void> {
  await enqueue(tx, sendMail, mails.factorAddedMail({ email }, factor, deps.config.baseUrl))
}

export async function tellRemoved(deps: Deps, tx: Transaction, email: string, factor: string): Promise<void> {
  await enqueue(tx, sendMail, mails.factorRemovedMail({ email }, factor, deps.config.baseUrl))
}

/** Holds the session, so that a reset either ended it or removes what this adds. */
export async function changeFactors<Result>(
  deps: Deps,
  { userUid, sessionUid }: WebsiteUser,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return await deps.db.transaction(async (tx) => {
    if (!(await holdSession(tx, sessionUid))) throw new AppError('unauthorized')
    await lockUser(tx, userUid)
    const result = await work(tx)
    await settleFactors(deps, tx, userUid)
    return result
  })
}

/** Call after every change of factors. Without one there is nothing to recover, and no browser to trust. */
export async function settleFactors(deps: Deps, tx: Transaction, userUid: string): Promise<void> {
  if (!(await queries.updateFactorFlag(tx, userUid))) {
    await queries.replaceRecoveryCodes(tx, userUid, [])
    await queries.forgetTrustedBrowsers(tx, userUid)
  }
  await forgetAccount(deps, tx, userUid)
}

/** Everything but the password. */
export async function deleteFactors(deps: Deps, tx: Transaction, userUid: string): Promise<void> {
  await queries.deleteAuthenticator(tx, userUid)
  await queries.deletePasskeys(tx, userUid)
  await settleFactors(deps, tx, userUid)
}

async function countChange({ rates }: Deps, userUid: string): Promise<void> {
  await countRequest(rates, ['factor_change'], () => userUid, {})
}

function notStarted(): AppError {
  return new AppError('taken', { message: 'No authenticator app waits for a code. Start with the QR code.' })
}

export function wrongCode(): AppError {
  return invalidField('code', 'is wrong or was used before. Wait for the next code of your app.')
}
