import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import {
  beginOnboarding,
  openDashboard,
  readPayouts,
  refreshPayouts,
} from '../../../features/selling/payouts/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../../kit/pages.ts'
import { PayoutsPage } from './payouts-page.tsx'

const PATH = '/studio/payouts'
const { view, submit } = ownPages

/** Whoever opens the dashboard of Stripe through it needs no password there. */
const leave = () => ({ page: true, fresh: true, limit: 'payouts' }) as const

/** Where a developer connects the account that is paid; missing in a store that sells nothing. */
export function payoutPages(kit: HttpKit, deps: Deps) {
  const app = new Elysia({ name: 'payout-pages', prefix: PATH }).use(kit)
  const { payments } = deps
  if (!payments) return app

  const showPayouts: ShowPage<WebsiteUser> = async (user, context) => {
    const page = <PayoutsPage state={atPage(context, PATH)} payouts={await readPayouts(deps, user)} />
    return { page, formTargets: payments.pageOrigins }
  }

  const connect: Act<WebsiteUser> = async (user) => await beginOnboarding(deps, user)
  const dashboard: Act<WebsiteUser> = async (user) => await openDashboard(deps, user)

  /** Stripe sends developers here when they are done, or leave before. */
  const comeBack: ShowPage<WebsiteUser> = async (user) => {
    await refreshPayouts(deps, user)
    return `${PATH}?done=returned`
  }

  return app
    .get('', view(showPayouts), { page: true })
    .get('/return', view(comeBack), { page: true })
    .get('/refresh', view(comeBack), { page: true })
    .post('/connect', submit('connect', connect, showPayouts), leave())
    .post('/dashboard', submit('dashboard', dashboard, showPayouts), leave())
}
