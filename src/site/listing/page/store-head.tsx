import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { isMain } from '../../kit/apps.ts'
import { SYSTEM_LABELS } from '../../kit/labels.ts'
import type { StoreData } from '../store-data.ts'

/** Metadata for search engines, link previews and embeds. */
export function StoreHead({ store }: { store: StoreData }) {
  const { listing, reviews } = store
  const picture = listing.adult ? null : listing.cover
  return (
    <>
      {listing.adult ? null : (
        <link
          rel="alternate"
          type="application/json+oembed"
          title={listing.name}
          href={new URL(`/oembed?url=${encodeURIComponent(listing.url)}`, listing.url).href}
        />
      )}
      <link
        rel="alternate"
        type="application/atom+xml"
        title={`${listing.name}: releases and posts`}
        href={`${listing.url}/feed.xml`}
      />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={listing.name} />
      <meta property="og:description" content={listing.tagline} />
      <meta property="og:url" content={listing.url} />
      {picture === null ? null : (
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
function toJsonLd(listing: Listing, reviews: StoreData['reviews']): string {
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
    author: { '@type': 'Organization', name: listing.developer.display_name },
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
