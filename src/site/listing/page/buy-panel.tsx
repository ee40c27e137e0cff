import type { ComponentChildren } from 'preact'

import { amountsFor } from '../../../domain/listings/orders.ts'
import type { Visit } from '../../../http/visit.ts'
import { dollarsOf, EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, priceText } from '../../kit/labels.tsx'
import type { StoreData } from '../store-data.ts'
import { Elsewhere } from './facts.tsx'

interface BuyPanelProps {
  visit: Visit
  store: StoreData
  form: FormState
}

/** One thing to buy: the listing itself, or an edition. */
interface Item {
  /** Empty for the listing itself. */
  uid: string
  name: string
  priceCents: number
  isHeld: boolean
}

/** The one button, where there is one thing to buy at one price. */
export function BuyButton({ visit, store, form }: BuyPanelProps) {
  const [item] = itemsOf(store)
  return item === undefined ? null : <Offer {...{ visit, store, item, form }} isOnly />
}

/** The listing and its editions, each with its price and a form to buy it; `isLed` leaves out what `BuyButton` sells. */
export function BuyPanel({ visit, store, form, isLed }: BuyPanelProps & { isLed: boolean }) {
  const { sale, standing, visibility, listing } = store
  if (standing.role !== null || isLed) return null
  if (sale === null) {
    if (listing.price.free || standing.hasLicense) return null
    return <Elsewhere listing={listing}>This store does not take payments.</Elsewhere>
  }
  const items = itemsOf(store)
  const hasAll = items.length > 0 && items.every(({ isHeld }) => isHeld)
  if (hasAll && (items.length === 1 || !sale.isForSale)) return null
  if (!sale.isForSale && items.length > 0) {
    return (
      <>
        <ItemPrices items={items} />
        <Elsewhere listing={store.listing}>
          {visibility === 'public'
            ? 'It is not for sale at the moment: its developer cannot take payments.'
            : 'It is not for sale: its page is not public.'}
        </Elsewhere>
      </>
    )
  }
  return (
    <>
      {items.length === 0 ? null : (
        <ul class="offers" id="offers" aria-label="Editions">
          {items.map((item) => (
            <li key={item.uid}>
              <Offer {...{ visit, store, item, form, isOnly: items.length === 1 && item.uid === '' }} />
            </li>
          ))}
        </ul>
      )}
      <Support {...{ visit, store, form }} />
    </>
  )
}

function itemsOf({ listing, standing: { held } }: StoreData): Item[] {
  const isListed = !listing.price.free
  const own = { uid: '', name: listing.name, priceCents: listing.price.cents, isHeld: held.length > 0 }
  const editions = listing.editions.map(({ uid, name, price_cents }) => ({
    uid,
    name,
    priceCents: price_cents,
    isHeld: held.includes(uid),
  }))
  return [...(isListed ? [own] : []), ...editions]
}

function ItemPrices({ items }: { items: readonly Item[] }) {
  if (items.length < 2) return null
  return (
    <ul class="editions small" aria-label="Editions">
      {items.map(({ uid, name, priceCents }) => (
        <li key={uid} class="row between">
          <bdi>{name}</bdi>
          <span>{priceText({ cents: priceCents, free: false })}</span>
        </li>
      ))}
    </ul>
  )
}

interface OfferProps extends BuyPanelProps {
  item: Item
  isOnly: boolean
}

function Offer({ visit, store: { listing, standing }, item, form, isOnly }: OfferProps) {
  const { uid, name, priceCents, isHeld } = item
  const price = priceText({ cents: priceCents, free: false })
  const head = isOnly ? null : (
    <p class="offer-head">
      <strong dir="auto">{name}</strong>
      {isHeld ? <Badge tone="good">You have it</Badge> : <span>{price}</span>}
    </p>
  )
  if (isHeld) return head
  const words = (
    <>
      Buy<span class="visually-hidden"> {name}</span>
    </>
  )
  if (visit.actor.kind !== 'user') {
    return (
      <>
        {head}
        <SignInFirst visit={visit}>{words}</SignInFirst>
      </>
    )
  }
  const refused = formFor(form, uid)
  return (
    <>
      {head}
      <PostForm action={`/games/${listing.vanity_name}/buy`} class="form">
        {uid === '' ? null : <input type="hidden" name="edition_uid" value={uid} />}
        {listing.pay_more ? (
          <YourPrice form={refused} scope={scopeOf(refused, uid)} cents={priceCents} />
        ) : null}
        <Submit look={standing.hasLicense ? 'second wide' : 'wide'}>{words}</Submit>
      </PostForm>
    </>
  )
}

/** The rejected form, if it was about this item. */
function formFor(form: FormState, uid: string): FormState {
  return (form.values.get('edition_uid') ?? '') === uid ? form : EMPTY_FORM
}

/** Keeps ids unique. A rejected form has a fixed scope, so that the summary above the page can link to it. */
function scopeOf(form: FormState, uid: string): string {
  return form === EMPTY_FORM ? `buy-${uid || 'listing'}` : 'buy'
}

function YourPrice({ form, scope, cents }: { form: FormState; scope: string; cents: number }) {
  const amounts = amountsFor(cents, true)
  const text = (value: number) => priceText({ cents: value, free: false })
  return (
    <TextField
      {...{ form, scope, name: 'amount_cents', label: 'Your price', value: dollarsOf(cents) }}
      inputMode="decimal"
      hint={amounts ? `${text(amounts.min)} to ${text(amounts.max)}, as much as you like.` : undefined}
    />
  )
}

/** Lets people who do not have a free listing yet pay for it voluntarily. */
function Support({ visit, store: { listing, sale, standing }, form: sent }: BuyPanelProps) {
  const { price, pay_more, vanity_name } = listing
  if (!price.free || !pay_more || !sale?.isForSale || standing.hasLicense) return null
  if (visit.actor.kind !== 'user') {
    return (
      <SignInFirst visit={visit} look="second wide">
        Support the developer
      </SignInFirst>
    )
  }
  const form = formFor(sent, '')
  return (
    <details class="stack" open={form !== EMPTY_FORM}>
      <summary>Support the developer</summary>
      <PostForm action={`/games/${vanity_name}/buy`} class="form">
        <YourPrice form={form} scope={scopeOf(form, '')} cents={0} />
        <Submit look="second wide">Support the developer</Submit>
      </PostForm>
      <p class="quiet small">Or pay nothing: press Get.</p>
    </details>
  )
}

interface SignInFirstProps {
  visit: Visit
  look?: string
  children: ComponentChildren
}

function SignInFirst({ visit, look = 'wide', children }: SignInFirstProps) {
  return (
    <a class={`button ${look}`} href={`/sign-in?next=${encodeURIComponent(visit.url.pathname)}`}>
      {children}
    </a>
  )
}
