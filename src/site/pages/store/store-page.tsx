import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import type { ReviewPage } from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Notice } from '../../components/notice.tsx'
import { priceText, TYPE_LABELS } from '../../labels.ts'
import { Layout } from '../../layout.tsx'
import { Changelog } from './changelog.tsx'
import { Downloads } from './downloads.tsx'
import { Facts } from './facts.tsx'
import { Gallery } from './gallery.tsx'
import { Neighbours } from './neighbours.tsx'
import { Reviews } from './reviews.tsx'
import { StoreHead } from './store-head.tsx'

/** How the visitor stands to the listing. */
export interface Standing {
  role: 'owner' | 'admin' | null
  hasLicense: boolean
  isInBeta: boolean
  hasReviewed: boolean
}

export interface StorePageProps {
  visit: Visit
  listing: Listing
  reviews: ReviewPage
  standing: Standing
  /** What the form before this page did. */
  notice: string | null
}

export function StorePage({ visit, listing, reviews, standing, notice }: StorePageProps) {
  const isAdultGated = listing.adult && !(visit.actor.kind === 'user' && visit.actor.adultContent)
  return (
    <Layout
      visit={visit}
      title={listing.name}
      description={listing.tagline}
      canonical={listing.url}
      isIndexed={listing.indexable && listing.visibility === 'public'}
      head={<StoreHead listing={listing} reviews={reviews} />}
      scripts={['gallery']}
    >
      {notice === null ? null : <Notice tone="good">{notice}</Notice>}
      <article class="store">
        <header class="store-top">
          <p class="quiet small">
            {TYPE_LABELS[listing.asset_type]} by{' '}
            <a href={`/developers/${listing.developer.username}`}>{listing.developer.username}</a>
          </p>
          <h1>{listing.name}</h1>
          <p class="lead">{listing.tagline}</p>
        </header>
        <div class="store-main">
          {isAdultGated ? <AdultGate listing={listing} /> : <Gallery listing={listing} />}
          {listing.description_html === '' ? null : (
            <section
              class="prose"
              aria-label="Description"
              dangerouslySetInnerHTML={{ __html: listing.description_html }}
            />
          )}
          <Changelog listing={listing} />
          <Reviews listing={listing} reviews={reviews} standing={standing} visit={visit} />
        </div>
        <aside class="store-side" aria-label="Get it">
          <div class="panel stack">
            <p class="price-tag">{priceText(listing.price)}</p>
            {isAdultGated ? null : <Downloads visit={visit} listing={listing} standing={standing} />}
          </div>
          <Facts listing={listing} />
        </aside>
        <Neighbours listing={listing} />
      </article>
    </Layout>
  )
}

function AdultGate({ listing }: { listing: Listing }) {
  const warnings = listing.taxonomy.content_warnings.join(', ')
  return (
    <Notice tone="warn">
      <strong>This page is for adults.</strong>
      {warnings === '' ? '' : ` It contains: ${warnings}.`} Turn on <a href="/account">Show adult content</a>{' '}
      in your account to see pictures and download it.
    </Notice>
  )
}
