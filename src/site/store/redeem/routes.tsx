import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
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
    const input = { code: textOf(form, 'code') }
    checkForm(RedeemInput, input)
    const { game } = await redeemKey(deps, user, input.code).catch(atCode)
    const path = game.vanity_name === null ? '/library' : `/games/${game.vanity_name}`
    return `${path}?done=redeemed`
  }

  return new Elysia({ name: 'redeem-pages', prefix: '/redeem' })
    .use(kit)
    .get('', view(showForm), { page: true })
    .post('', submit('redeem', redeem, showForm), { page: true, limit: ['redeem', 'redeem_address'] })
}

/** Whatever is wrong with a code is said at its field. */
function atCode(error: unknown): never {
  if (!(error instanceof AppError) || error.data !== undefined) throw error
  const { kind, message, headers, cause } = error
  throw new AppError(kind, { message, headers, cause, data: { field: 'code' } })
}
