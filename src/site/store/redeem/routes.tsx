import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { CODE_LENGTH, lettersOf } from '../../../features/selling/keys/codes.ts'
import { RedeemInput } from '../../../features/selling/keys/model.ts'
import { redeemKey } from '../../../features/selling/keys/redeem.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { type Act, ownPages, type ShowPage } from '../../kit/pages.ts'
import { RedeemPage } from './redeem-page.tsx'

const { view, submit } = ownPages

/** Where a player types in the code of a key. */
export function redeemPages(kit: HttpKit, deps: Deps) {
  const showForm: ShowPage<WebsiteUser> = (_, state) => <RedeemPage state={state} />

  const redeem: Act<WebsiteUser> = async (user, form) => {
    const code = readCode(form)
    const { game } = await redeemKey(deps, user, code).catch(atCode)
    const path = game.vanity_name === null ? '/library' : `/games/${game.vanity_name}`
    return `${path}?done=redeemed`
  }

  return new Elysia({ name: 'redeem-pages', prefix: '/redeem' })
    .use(kit)
    .get('', view(showForm), { page: true })
    .post('', submit('redeem', redeem, showForm), { page: true, limit: ['redeem', 'redeem_address'] })
}

/** The length says nothing about which codes exist, so a code that was cut short is told at once. */
function readCode(form: URLSearchParams): string {
  const code = textOf(form, 'code')
  checkForm(RedeemInput, { code })
  const { length } = lettersOf(code)
  if (length === 0) throw invalidFields([{ path: 'code', message: 'Enter the code.' }])
  if (length !== CODE_LENGTH) {
    const message = `A code has ${CODE_LENGTH} letters and digits. You typed ${length}.`
    throw invalidFields([{ path: 'code', message }])
  }
  return code
}

/** Whatever is wrong with a code is said at its field. */
function atCode(error: unknown): never {
  if (!(error instanceof AppError) || error.data !== undefined) throw error
  const { kind, message, headers, cause } = error
  throw new AppError(kind, { message, headers, cause, data: { field: 'code' } })
}
