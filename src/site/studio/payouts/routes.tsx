import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Payouts } from '../../../features/selling/payouts/model.ts'
import {
  beginOnboarding,
  loadPayouts,
  openDashboard,
  refreshPayouts,
} from '../../../features/selling/payouts/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { DoneNotice } from '../../components/notice.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Badge } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import { type Act, atPage, ownPages, type PageState, type ShowPage } from '../../kit/pages.ts'

const PATH = '/studio/payouts'
const { view, submit } = ownPages

/** Needs a recent confirmation, because the link opens the dashboard of Stripe without a password. */
const leave = () => ({ page: true, fresh: true, limit: 'payouts' }) as const

/** The page where developers connect a Stripe account; a store that sells nothing does not have it. */
export function payoutPages(kit: HttpKit, deps: Deps) {
  const app = createRoutes(kit, { name: 'payout-pages', prefix: PATH })
  const { payments } = deps
  if (!payments) return app

  const showPayouts: ShowPage<WebsiteUser> = async (user, context) => {
    const page = <PayoutsPage state={atPage(context, PATH)} payouts={await loadPayouts(deps, user)} />
    return { page, formTargets: payments.pageOrigins }
  }

  const connect: Act<WebsiteUser> = async (user) => await beginOnboarding(deps, user)
  const dashboard: Act<WebsiteUser> = async (user) => await openDashboard(deps, user)

  /** Stripe redirects developers here, whether they finished or not. */
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

const NOTICES = { returned: 'You are back from Stripe. This is how your account stands.' }

function PayoutsPage({ state, payouts }: { state: PageState; payouts: Payouts }) {
  const { visit, refused } = state
  return (
    <Layout visit={visit} title="Payouts" style="studio">
      <div class="studio-start wide stack">
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <h1>Payouts</h1>
        <p class="lead">
          Stripe pays out what your projects earn. It asks who you are and where the money goes; this store
          learns neither.
        </p>
        {payouts.connected ? (
          <Account payouts={payouts} />
        ) : (
          <section class="panel stack" aria-label="Stripe account">
            <p>Buyers can pay for your priced pages once you have connected an account.</p>
            <Connect label="Connect with Stripe" />
          </section>
        )}
        <p class="row">
          <a href="/studio">Your projects</a>
          <a href="/studio/sales">Sales</a>
        </p>
      </div>
    </Layout>
  )
}

function Connect({ label }: { label: string }) {
  return (
    <PostForm action="/studio/payouts/connect" class="row">
      <Submit>{label}</Submit>
    </PostForm>
  )
}

function Account({ payouts }: { payouts: Payouts }) {
  const { charges_enabled, payouts_enabled, details_submitted, missing } = payouts
  return (
    <section class="panel stack" aria-labelledby="account">
      <h2 id="account">Your Stripe account</h2>
      <dl class="stack">
        <State name="Buyers can pay you" isOn={charges_enabled} />
        <State name="Stripe pays out to you" isOn={payouts_enabled} />
      </dl>
      {missing.length === 0 ? null : (
        <div>
          <p>Stripe still asks for:</p>
          <ul>
            {[...new Set(missing.map(wordsOf))].map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="row">
        {missing.length > 0 || !details_submitted ? <Connect label="Continue to Stripe" /> : null}
        {details_submitted ? (
          <PostForm action="/studio/payouts/dashboard" class="row">
            <Submit look="second">Open Stripe dashboard</Submit>
          </PostForm>
        ) : null}
      </div>
    </section>
  )
}

function State({ name, isOn }: { name: string; isOn: boolean }) {
  return (
    <div class="row between">
      <dt>{name}</dt>
      <dd>
        <Badge tone={isOn ? 'good' : 'warn'}>{isOn ? 'Yes' : 'Not yet'}</Badge>
      </dd>
    </div>
  )
}

const MISSING: Readonly<Record<string, string>> = {
  external_account: 'a bank account to pay out to',
  tos_acceptance: 'that you accept its terms',
  individual: 'who you are',
  company: 'the company',
  business_profile: 'what you sell',
}

/** Turns Stripe's name for a missing item, such as `individual.verification.document`, into words. */
function wordsOf(name: string): string {
  const [area = '', ...rest] = name.split('.')
  const words = MISSING[area] ?? area.replaceAll('_', ' ')
  return rest.length === 0 || area === 'tos_acceptance'
    ? words
    : `${words} (${rest.join(', ').replaceAll('_', ' ')})`
}
