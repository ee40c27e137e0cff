import type { SaleFault } from '../../../domain/listings/orders.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { type Edition, EDITION_NAME_MAX, EDITIONS_MAX } from '../../../features/listings/pricing/model.ts'
import { Notice } from '../../components/notice.tsx'
import { dollarsOf, EMPTY_FORM } from '../../kit/form-state.ts'
import { Check, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, priceText } from '../../kit/labels.tsx'
import { formOf, type PageProps } from '../../kit/pages.ts'
import { type Project, StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  price: 'The price is saved.',
  edition: 'The edition is saved.',
  'edition-deleted': 'The edition is deleted.',
  anonymous: 'Everyone can download it without an account now.',
  'signed-in': 'Downloads need an account again. Files that were already downloaded stay with their holders.',
}

const paid = (cents: number) => priceText({ cents, free: false })
const { min_price_cents, max_price_cents } = STORE_RULES
export const PRICE_RANGE = `${paid(min_price_cents)} to ${paid(max_price_cents)}`

interface PricingProps extends TabProps {
  editions: readonly Edition[]
}

interface PricingPageProps extends PricingProps {
  /** Why it can or cannot be bought; null in a store that sells nothing. */
  sale: Sale | null
}

export function PricingPage({ project, state, editions, sale }: PricingPageProps) {
  const { visit, refused } = state
  return (
    <StudioPage
      {...{ visit, project }}
      tab="pricing"
      lead={`Free, or ${PRICE_RANGE} in US dollars. The store keeps ${visit.store.settings.fee_percent} percent of a sale.`}
      notices={NOTICES}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <SaleState {...{ project, sale, editions }} />
      <PriceForm {...{ project, state }} />
      <Editions {...{ project, state, editions }} />
      <AnonymousForm {...{ project, editions }} />
    </StudioPage>
  )
}

function PriceForm({ project: { listing }, state }: Pick<PricingProps, 'project' | 'state'>) {
  return (
    <FieldGroup id="price" title="Price">
      {listing.anonymous_downloads ? (
        <p class="notice">
          Downloads without an account are on, so it stays free. Turn them off to set a price.
        </p>
      ) : null}
      <PostForm action={`/studio/${listing.vanity_name}/pricing/price`}>
        <TextField
          form={formOf(state, 'price')}
          scope="price"
          name="price_cents"
          label="Price in dollars"
          value={dollarsOf(listing.price_cents)}
          inputMode="decimal"
          placeholder="0.00"
          hint={`0 or empty is free; otherwise ${PRICE_RANGE}.`}
        />
        {state.visit.store.sells ? (
          <Check
            name="pay_more"
            scope="price"
            label="Buyers may pay more, and players something for a free project"
            checked={listing.pay_more}
          />
        ) : null}
        <Submit>Save the price</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function Editions({ project: { listing }, state, editions }: PricingProps) {
  const base = `/studio/${listing.vanity_name}/pricing/editions`
  const form = formOf(state, 'edition')
  return (
    <FieldGroup
      id="editions"
      title="Editions"
      hint={`Variants with a price of their own, such as Deluxe. Up to ${EDITIONS_MAX}.`}
    >
      {editions.length === 0 ? null : (
        <ul class="records">
          {editions.map((edition) => (
            <li key={edition.uid}>
              <EditionRow {...{ edition, base, state }} />
            </li>
          ))}
        </ul>
      )}
      {listing.anonymous_downloads ? (
        <p class="quiet">Editions cannot be added while downloads without an account are on.</p>
      ) : (
        <PostForm action={base}>
          <div class="pair">
            <TextField
              form={form}
              scope="edition"
              name="name"
              label="Name of the edition"
              limit={EDITION_NAME_MAX}
            />
            <TextField
              form={form}
              scope="edition"
              name="price_cents"
              label="Its price in dollars"
              inputMode="decimal"
              hint={`${PRICE_RANGE}.`}
            />
          </div>
          <Check
            name="active"
            scope="edition"
            label="Offer it now"
            checked={form.values.size === 0 || form.values.has('active')}
          />
          <Submit look="second">Add edition</Submit>
        </PostForm>
      )}
    </FieldGroup>
  )
}

function EditionRow({ edition, base, state }: PageProps<{ edition: Edition; base: string }>) {
  const { uid, name, price_cents, active } = edition
  const isRefused = formOf(state, 'editions').values.get('edition_uid') === uid
  const form = isRefused ? formOf(state, 'editions') : EMPTY_FORM
  const scope = isRefused ? 'editions' : `edition-${uid}`
  return (
    <>
      <div>
        <p>
          <strong dir="auto">{name}</strong> {paid(price_cents)}
        </p>
        <Badge tone={active ? 'good' : 'none'}>{active ? 'Offered' : 'Not offered'}</Badge>
      </div>
      <div class="row">
        <PostForm action={`${base}/${uid}`} class="row">
          <input type="hidden" name="name" value={name} />
          <input type="hidden" name="price_cents" value={dollarsOf(price_cents)} />
          {active ? null : <input type="hidden" name="active" value="true" />}
          <Submit look="second small">
            {active ? 'Stop offering' : 'Offer'} <bdi>{name}</bdi>
          </Submit>
        </PostForm>
        <PostForm action={`${base}/${uid}/delete`} class="row">
          <Submit look="plain">
            Delete <bdi>{name}</bdi>
          </Submit>
        </PostForm>
      </div>
      <details class="edit" open={isRefused}>
        <summary>
          Change <bdi>{name}</bdi>
        </summary>
        <PostForm action={`${base}/${uid}`}>
          <input type="hidden" name="edition_uid" value={uid} />
          {active ? <input type="hidden" name="active" value="true" /> : null}
          <div class="pair">
            <TextField
              {...{ form, scope }}
              name="name"
              label="New name"
              value={name}
              limit={EDITION_NAME_MAX}
            />
            <TextField
              {...{ form, scope }}
              name="price_cents"
              label="New price in dollars"
              value={dollarsOf(price_cents)}
              inputMode="decimal"
            />
          </div>
          <Submit look="second">
            Save <bdi>{name}</bdi>
          </Submit>
        </PostForm>
      </details>
    </>
  )
}

/** The form for downloads without an account, or why they cannot be turned on. */
function AnonymousForm({ project: { listing }, editions }: Pick<PricingProps, 'project' | 'editions'>) {
  const action = `/studio/${listing.vanity_name}/pricing/anonymous`
  const isPaid = listing.price_cents > 0 || editions.some(({ active }) => active)
  return (
    <FieldGroup
      id="anonymous"
      title="Downloads without an account"
      hint="Anyone can download stable builds, scripts and editors too. Nobody gets a licence or an entry in their library by it."
    >
      {listing.anonymous_downloads ? (
        <PostForm action={action}>
          <input type="hidden" name="enabled" value="false" />
          <p>
            <Badge tone="good">On</Badge>
          </p>
          <Submit look="second">Turn off</Submit>
        </PostForm>
      ) : isPaid ? (
        <p>Only free projects without an offered edition can turn this on.</p>
      ) : (
        <PostForm action={action}>
          <input type="hidden" name="enabled" value="true" />
          <Check
            name="confirm_no_license"
            label="I understand that these downloads give no licence"
            checked={false}
          />
          <Submit look="second">Turn on</Submit>
        </PostForm>
      )}
    </FieldGroup>
  )
}

interface Sale {
  fault: SaleFault | null
}

interface SaleStateProps {
  project: Project
  /** Null in a store that sells nothing. */
  sale: Sale | null
  editions: readonly Edition[]
}

const SALE_FAULTS: Readonly<Record<SaleFault, string>> = {
  hidden: 'It is not for sale: the page is not public.',
  no_account: 'It is not for sale: its owner has not connected a Stripe account.',
  account_incomplete:
    'It is not for sale: the Stripe account of its owner cannot take charges at the moment.',
}

/** Says why a listing with a price cannot be bought. */
function SaleState({ project: { listing }, sale, editions }: SaleStateProps) {
  const isPriced = listing.price_cents > 0 || listing.pay_more || editions.some(({ active }) => active)
  if (sale === null || !isPriced) return null
  if (sale.fault === null) return <Notice tone="good">It is for sale.</Notice>
  return (
    <Notice tone="warn">
      {SALE_FAULTS[sale.fault]}{' '}
      {sale.fault !== 'hidden' && listing.role === 'owner' ? (
        <a href="/studio/payouts">Open payouts</a>
      ) : null}
    </Notice>
  )
}
