import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { forgetAccount } from '../../accounts/account-cache.ts'
import { hasOperator, makeFirstOperator } from '../../accounts/operators.ts'
import type { Browser, Outcome, WebsiteAuth } from '../../accounts/sign-in/website.ts'
import { recordAct } from '../../audit/service.ts'
import type { SettingsPatch } from '../../settings/model.ts'
import { settingsOf } from '../../settings/reader.ts'
import { changeSettings, tryPatch } from '../../settings/service.ts'
import { recordChange } from '../settings/service.ts'
import * as queries from './queries.ts'

const LIFETIME_MS = 24 * 60 * 60 * 1000
/** Unused tokens that stay valid: every start of every process prints a new one. */
export const SETUP_TOKENS_MAX = 20

/** The address for setting the store up; null if it already has an operator. */
export async function createSetupAddress({ config, db }: Deps): Promise<string | null> {
  if (await hasOperator(config, db)) return null
  const token = createSecret()
  const expiresAt = new Date(Date.now() + LIFETIME_MS)
  await db.transaction(async (tx) => {
    await queries.lockSetup(tx)
    await queries.insertToken(tx, { tokenHash: sha256Hex(token), expiresAt }, SETUP_TOKENS_MAX)
  })
  return `${config.baseUrl}/setup?token=${token}`
}

export async function isSetupToken({ config, db }: Deps, token: string): Promise<boolean> {
  if (token === '' || (await hasOperator(config, db))) return false
  return (await queries.findToken(db, sha256Hex(token))) !== undefined
}

/** Checks the settings before the account is created. */
export async function checkSetup(deps: Deps, patch: SettingsPatch): Promise<void> {
  await tryPatch(deps, deps.db, patch)
}

interface FirstAccount {
  name: string
  email: string
  password: string
}

/** Uses up all setup addresses; the sent one is valid again if the setup fails. */
export async function setUpStore(
  deps: Deps,
  auth: WebsiteAuth,
  browser: Browser,
  token: string,
  { patch, account }: { patch: SettingsPatch; account: FirstAccount },
): Promise<Outcome> {
  const taken = await consumeToken(deps, token)
  try {
    const outcome = await openAccount(auth, browser, account)
    await appoint(deps, account.email, patch)
    await settingsOf(deps).refresh()
    return outcome
  } catch (error) {
    await deps.db.transaction((tx) => queries.insertToken(tx, taken, SETUP_TOKENS_MAX))
    throw error
  }
}

/** If an interrupted setup already created the account, signs in to it with the same password. */
async function openAccount(auth: WebsiteAuth, browser: Browser, account: FirstAccount): Promise<Outcome> {
  try {
    return await auth.signUp(browser, { ...account, invite: '' })
  } catch (refusal) {
    if (!(refusal instanceof AppError && refusal.kind === 'taken')) throw refusal
    return await auth.signIn(browser, account).catch((error: unknown) => {
      throw error instanceof AppError && error.kind === 'unauthorized' ? refusal : error
    })
  }
}

async function consumeToken({ config, db }: Deps, token: string): Promise<queries.SetupToken> {
  return await db.transaction(async (tx) => {
    await queries.lockSetup(tx)
    const found = await queries.findToken(tx, sha256Hex(token))
    if (!found || (await hasOperator(config, tx))) throw new AppError('not_found')
    await queries.deleteTokens(tx)
    return found
  })
}

async function appoint(deps: Deps, email: string, patch: SettingsPatch): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await queries.lockSetup(tx)
    if (await hasOperator(deps.config, tx)) {
      throw new AppError('taken', { message: 'Somebody else set this store up meanwhile. Ask them.' })
    }
    const { uid, username } = await makeFirstOperator(tx, email)
    await forgetAccount(deps, tx, uid)
    const operator = { userUid: uid, username }
    await recordAct(tx, operator, { act: 'add_operator', subject: 'account', id: uid, name: username })
    await recordChange(deps, tx, operator, await changeSettings(deps, tx, patch, () => undefined))
    await queries.deleteTokens(tx)
  })
}
