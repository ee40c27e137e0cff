import { TAGS_MAX, TAGS_MIN } from '../../domain/listings/slugs.ts'
import { STORE_RULES } from '../../domain/listings/store-rules.ts'
import type { Visit } from '../../http/visit.ts'
import { priceText } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'

const dollars = (cents: number) => priceText({ cents, free: false })

/** The rules that developers and players can rely on. */
export function RulesPage({ visit, canonical }: { visit: Visit; canonical: string }) {
  const { currency, min_price_cents, max_price_cents, payout_minimum_cents } = STORE_RULES
  const { fee_percent, adult_content, publishing } = visit.store.settings
  return (
    <Layout
      visit={visit}
      title="Store rules"
      description="Prices, fees and what is checked before a page becomes public."
      canonical={canonical}
      isIndexed
    >
      <article class="prose">
        <h1>Store rules</h1>
        <h2>Prices</h2>
        <ul>
          <li>
            A listing is free, or costs {dollars(min_price_cents)} to {dollars(max_price_cents)} ({currency}).
          </li>
          <li>The store keeps {fee_percent} % of a sale.</li>
          <li>Developers are paid out from {dollars(payout_minimum_cents)} on.</li>
          <li>What you have in your library stays there, whatever it costs later.</li>
        </ul>
        <h2>Before a page is public</h2>
        <ul>
          <li>
            It has a name, a tagline, a description, a cover and {TAGS_MIN} to {TAGS_MAX} tags.
          </li>
          <li>Games and applications name their genres; mods, plugins and tools what they are made for.</li>
          <li>
            {adult_content === 'allowed'
              ? 'Adult pages carry content warnings, and only those who asked for them are shown them.'
              : 'This store takes no adult pages.'}
          </li>
          <li>The developer has verified their e-mail address.</li>
          {publishing === 'approved' ? (
            <li>The people who run this store approve the first page of each developer.</li>
          ) : null}
        </ul>
        <h2>Files</h2>
        <ul>
          <li>Every upload is scanned before anyone can download it.</li>
          <li>The SHA-256 of each file, and of each file inside it, is public.</li>
          <li>Who uploaded a file, and when it was scanned, is public too.</li>
        </ul>
        <h2>Who made it</h2>
        <ul>
          <li>
            Developers can say whether people or AI agents made their work, and which parts are generated.
          </li>
          <li>Neither affects how a listing is ranked. You can filter by both.</li>
        </ul>
        <h2>Pages that break rules</h2>
        <p>Every store page has a link “Report this page”. The operators of this store read each report.</p>
        <p class="quiet small">
          The same numbers for programs: <a href="/api/v1/public/store-rules">store rules as API call</a>
        </p>
      </article>
    </Layout>
  )
}
