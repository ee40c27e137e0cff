import type { Payouts } from '../../../features/selling/payouts/model.ts'
import { Badge } from '../../components/badge.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'

const NOTICES = { returned: 'You are back from Stripe. This is how your account stands.' }

export function PayoutsPage({ state, payouts }: { state: PageState; payouts: Payouts }) {
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
        {missing.length > 0 || !details_submitted ? <Connect label="Go on at Stripe" /> : null}
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

/** Stripe names what is missing like `individual.verification.document`. */
function wordsOf(name: string): string {
  const [area = '', ...rest] = name.split('.')
  const words = MISSING[area] ?? area.replaceAll('_', ' ')
  return rest.length === 0 || area === 'tos_acceptance'
    ? words
    : `${words} (${rest.join(', ').replaceAll('_', ' ')})`
}
