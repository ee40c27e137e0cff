import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import type { TakeDown } from '../../../domain/listings/visibility.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { ReviewPage } from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Notice } from '../../components/notice.tsx'
import { Prose } from '../../components/prose.tsx'
import { isMain } from '../../kit/apps.ts'
import type { Refused } from '../../kit/form-state.ts'
import { FaultSummary } from '../../kit/form.tsx'
import { SYSTEM_LABELS, TYPE_LABELS } from '../../kit/labels.ts'
import { Layout } from '../../kit/layout.tsx'
import { formOf } from '../../kit/pages.ts'
import type { StoreData } from '../store-data.ts'
import { Changelog } from './changelog.tsx'
import { Facts, Health, Links, Modding } from './facts.tsx'
import { Gallery } from './gallery.tsx'
import { GetPanel } from './get-panel.tsx'
import { Neighbours } from './neighbours.tsx'
import { Reviews, Tags } from './reviews.tsx'

interface StorePageProps {
  visit: Visit
  store: StoreData
  /** The result of the form that led to this page. */
  notice?: string | undefined
  /** A form of this page that was rejected. */
  refused?: Refused | undefined
  /** Whether to ask for the confirmation of the e-mail address now. */
  asksToConfirm?: boolean
}

export function StorePage({ visit, store, notice, refused, asksToConfirm = false }: StorePageProps) {
  const { listing, visibility, standing } = store
  const isAdultGated = listing.adult && !(visit.actor.kind === 'user' && visit.actor.adultContent)
  const isOpen = visibility === 'public' || visibility === 'invisible'
  return (
    <Layout
      visit={visit}
      title={listing.name}
      description={listing.tagline}
      canonical={listing.url}
      isIndexed={listing.indexable && visibility === 'public'}
      head={isOpen ? <StoreHead listing={listing} reviews={store.reviews} /> : null}
      scripts={['gallery']}
    >
      <div class="notices">
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {asksToConfirm ? <ConfirmAddress visit={visit} /> : null}
        <FaultSummary form={refused?.form} scope={refused?.name} />
        {store.takenDown ? <TakenDownNotice store={store} takenDown={store.takenDown} /> : null}
        {store.takenDown || (standing.role === null && isOpen) ? null : (
          <MakerNotice store={store} isOpen={isOpen} />
        )}
      </div>
      <article class="store">
        <StoreTop listing={listing} />
        <div class="store-pictures">
          {isAdultGated ? <AdultGate visit={visit} listing={listing} /> : <Gallery listing={listing} />}
        </div>
        <div class="store-side">
          <GetPanel {...{ visit, store, isAdultGated }} buyForm={formOf({ refused }, 'buy')} />
          <div class="panel facts-panel">
            <Health listing={listing} platforms={store.health} />
            <Facts listing={listing} />
            <Tags visit={visit} store={store} form={formOf({ refused }, 'tags')} />
            <Links listing={listing} isOpen={isOpen} acceptsBugReports={store.acceptsBugReports} />
          </div>
        </div>
        <div class="store-main">
          <section aria-labelledby="about">
            <h2 id="about">About</h2>
            {listing.description_html === '' ? (
              <p class="quiet">The developer has not described it yet.</p>
            ) : (
              <Prose html={listing.description_html} under={2} />
            )}
          </section>
          <Modding listing={listing} />
          <Changelog listing={listing} />
          <Reviews visit={visit} store={store} form={formOf({ refused }, 'review')} />
        </div>
        <Neighbours store={store} />
      </article>
    </Layout>
  )
}

/** Reviews need a confirmed address, so people who just got a game are asked to confirm theirs. */
function ConfirmAddress({ visit: { actor } }: { visit: Visit }) {
  if (actor.kind !== 'user' || actor.emailVerified) return null
  return (
    <Notice tone="info">
      <strong>Confirm your address.</strong> We sent a link to {actor.email}: open it to write reviews and to
      be sure that you can always get back in. <a href="/verify">Nothing arrived?</a>
    </Notice>
  )
}

function StoreTop({ listing }: { listing: Listing }) {
  const { parent } = listing
  return (
    <header class="store-top">
      <p class="quiet small">
        {TYPE_LABELS[listing.asset_type]}{' '}
        {parent === null ? null : (
          <>
            for{' '}
            {'game' in parent ? (
              <a href={`/games/${parent.vanity_name}`}>{parent.name}</a>
            ) : (
              <a href={parent.external_url} rel="nofollow noopener">
                {parent.external_name}
              </a>
            )}{' '}
          </>
        )}
        by <a href={`/developers/${listing.developer.username}`}>{listing.developer.username}</a>
      </p>
      <h1>{listing.name}</h1>
      <p class="lead">{listing.tagline}</p>
    </header>
  )
}

const SEEN_BY = {
  draft: 'This page is a draft: only you and the admins of the project can open it.',
  owner: 'This page is private: only its owner can open it.',
  invisible: 'This page is unlisted: anyone with the link can open it, and no search shows it.',
  public: 'You work on this listing.',
} as const

function MakerNotice({ store, isOpen }: { store: StoreData; isOpen: boolean }) {
  return (
    <Notice tone={isOpen ? 'info' : 'warn'}>
      {SEEN_BY[store.visibility]}{' '}
      <a href={`/studio/${store.listing.vanity_name}/overview`}>Open it in the studio</a>
    </Notice>
  )
}

function TakenDownNotice({ store, takenDown }: { store: StoreData; takenDown: TakeDown }) {
  return (
    <Notice tone="bad">
      <strong>The operators of this store took this page down.</strong> Their reason: {takenDown.reason}{' '}
      {store.standing.role === 'owner' ? (
        'Only you and they can open it, and it cannot be published until they restore it. To object, answer their mail.'
      ) : (
        <a href={`/operate/listings/${store.listing.uid}`}>Open it for operators</a>
      )}
    </Notice>
  )
}

function AdultGate({ visit, listing }: { visit: Visit; listing: Listing }) {
  const warnings = listing.taxonomy.content_warnings.join(', ').replaceAll('_', ' ')
  const next = encodeURIComponent('/account')
  return (
    <Notice tone="warn">
      <strong>This page is for adults.</strong>
      {warnings === '' ? '' : ` It contains: ${warnings}.`} To see pictures and download it,{' '}
      {visit.actor.kind === 'user' ? (
        <>
          turn on <a href="/account">Show adult content</a> in your account.
        </>
      ) : (
        <>
          <a href={`/sign-in?next=${next}`}>sign in</a> and turn on “Show adult content” in your account.
        </>
      )}
    </Notice>
  )
}

/** Metadata for search engines and link previews. */
function StoreHead({ listing, reviews }: { listing: Listing; reviews: ReviewPage }) {
  const picture = listing.cover
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:title" content={listing.name} />
      <meta property="og:description" content={listing.tagline} />
      <meta property="og:url" content={listing.url} />
      {picture === null || listing.adult ? null : (
        <>
          <meta property="og:image" content={picture.url} />
          <meta property="og:image:width" content={String(picture.width)} />
          <meta property="og:image:height" content={String(picture.height)} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: toJsonLd(listing, reviews) }} />
    </>
  )
}

/** Escapes `<`, so that no name can close the script element. */
function toJsonLd(listing: Listing, reviews: ReviewPage): string {
  const systems = OPERATING_SYSTEMS.filter((os) =>
    listing.files.some((file) => isMain(file) && file.os === os),
  )
  const data = {
    '@context': 'https://schema.org',
    '@type': listing.asset_type === 'game' ? 'VideoGame' : 'SoftwareApplication',
    name: listing.name,
    description: listing.tagline,
    url: listing.url,
    image: listing.adult ? undefined : listing.cover?.url,
    author: { '@type': 'Organization', name: listing.developer.username },
    genre: listing.taxonomy.genres,
    applicationCategory: listing.asset_type === 'game' ? 'Game' : 'Utility',
    operatingSystem: systems.map((os) => SYSTEM_LABELS[os]).join(', ') || undefined,
    datePublished: listing.published_at ?? undefined,
    offers: { '@type': 'Offer', price: (listing.price.cents / 100).toFixed(2), priceCurrency: 'USD' },
    aggregateRating:
      reviews.average === null
        ? undefined
        : { '@type': 'AggregateRating', ratingValue: reviews.average, reviewCount: reviews.count },
  }
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
}
