import type { ComponentChildren } from 'preact'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { INPUT_LABELS, SESSION_LABELS } from '../../../domain/listings/fields.ts'
import { findTextLanguage, showLanguage } from '../../../domain/listings/languages.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { formatOrdinal } from '../../../lib/text/show.ts'
import { pathOf } from '../../components/card.tsx'
import { FollowButtons } from '../../components/follows/follow-buttons.tsx'
import { ClockIcon, InputsIcon, LanguagesIcon, PlayersIcon, StarIcon } from '../../components/icons.tsx'
import { Person } from '../../components/person.tsx'
import type { Refused } from '../../kit/form-state.ts'
import { countText, isMain, numberText, SYSTEM_LABELS, TYPE_LABELS } from '../../kit/labels.tsx'
import { Layout, type PreloadedPicture } from '../../kit/layout.tsx'
import { formOf } from '../../kit/pages.ts'
import type { StoreData } from '../store-data.ts'
import { playersText } from './facts.tsx'
import { GetPanel } from './get-panel.tsx'

const TABS = ['about', 'posts', 'reviews', 'files'] as const
type Tab = (typeof TABS)[number]

interface StoreFrameProps {
  visit: Visit
  store: StoreData
  tab: Tab
  /** The heading of the page where that is not the listing's name: these words before the name. */
  about?: 'News of' | 'Changelog of' | 'Reviews of' | 'Files of'
  /** The same, for a page that is about something of its own. */
  title?: string
  canonical: string
  /** What the page is about, where that is not the listing. */
  description?: string
  /** Metadata of the page instead of those of the listing. */
  head?: ComponentChildren
  refused?: Refused | undefined
  notices?: ComponentChildren
  /** Between the head and the tabs. */
  media?: ComponentChildren
  /** Below the box on wide windows. */
  facts?: ComponentChildren
  /** What follows all that, on every width. */
  below?: ComponentChildren
  children: ComponentChildren
}

/** What all tabs of a listing share: the cover, its name, the box to get it, and the tabs. */
export function StoreFrame({
  visit,
  store,
  tab,
  about,
  title,
  canonical,
  refused,
  ...parts
}: StoreFrameProps) {
  const { listing, visibility } = store
  const isAdultGated = isGated(visit, listing)
  const isOpen = visibility === 'public' || visibility === 'invisible'
  const cover = isAdultGated ? null : listing.cover
  const isAbout = about === undefined && title === undefined
  // Posts, reviews and files come first on phones, and below them what the bar with the button leaves out.
  const side = (
    <div class="store-side">
      <div class="side-box">
        <GetPanel {...{ visit, store, isAdultGated }} buyForm={formOf({ refused }, 'buy')} />
        {isAdultGated || !isOpen ? null : <StoreFollow {...{ visit, store }} />}
        {parts.facts}
      </div>
    </div>
  )
  return (
    <Layout
      visit={visit}
      title={title ?? (about === undefined ? listing.name : `${about} ${listing.name}`)}
      description={parts.description ?? listing.tagline}
      canonical={canonical}
      isIndexed={listing.indexable && visibility === 'public' && visit.url.search === ''}
      head={isOpen ? (parts.head ?? <StoreHead store={store} />) : null}
      accent={cover === null ? null : listing.accent}
      preload={cover === null ? undefined : preloadOf(cover, listing.cover_wide)}
      scripts={['gallery']}
      isOverPicture={cover !== null}
    >
      {cover === null ? null : (
        <div class={tab === 'about' ? 'backdrop' : 'backdrop low'}>
          <img
            {...sizesOf(cover, listing.cover_wide)}
            src={pathOf(cover.url)}
            width={cover.width}
            height={cover.height}
            alt=""
            fetchpriority="high"
          />
        </div>
      )}
      <div class="notices">{parts.notices}</div>
      <article class="store">
        <header class="store-top">
          <div class="store-title">
            <Byline listing={listing} />
            {isAbout ? (
              <h1 dir="auto">{listing.name}</h1>
            ) : (
              <p class="store-name" dir="auto">
                <a href={`/games/${listing.vanity_name}`}>{listing.name}</a>
              </p>
            )}
            <p class="lead" dir="auto" lang={findTextLanguage(listing.languages, listing.tagline)}>
              {listing.tagline}
            </p>
            <Strip store={store} />
            <Placings store={store} />
            <p class="paper-only">{listing.url}</p>
          </div>
        </header>
        <div class="store-media">{parts.media}</div>
        {isAbout ? side : null}
        <div class="store-main">
          <Tabs store={store} current={tab} />
          {title === undefined ? null : (
            <h1 class="tab-title" dir="auto">
              {title}
            </h1>
          )}
          {about === undefined ? null : (
            <h1 class="tab-title">
              {about} <bdi>{listing.name}</bdi>
            </h1>
          )}
          {parts.children}
        </div>
        {isAbout ? null : side}
        {parts.below}
      </article>
    </Layout>
  )
}

type Cover = NonNullable<Listing['cover']>
type WideCover = Listing['cover_wide']

/** What a browser chooses the cover from: it is always as wide as the window. */
function sizesOf(cover: Cover, wide: WideCover): { srcset?: string; sizes?: string } {
  if (wide === null) return {}
  const sources = [cover, wide].map(({ url, width }) => `${pathOf(url)} ${width}w`)
  return { srcset: sources.join(', '), sizes: '100vw' }
}

function preloadOf(cover: Cover, wide: WideCover): string | PreloadedPicture {
  const { srcset, sizes = '' } = sizesOf(cover, wide)
  const href = pathOf(cover.url)
  return srcset === undefined ? href : { href, imageSrcSet: srcset, imageSizes: sizes }
}

/** Whether pictures and downloads are left out, because the visitor did not ask for adult content. */
export function isGated({ actor }: Visit, { adult }: Listing): boolean {
  return adult && !(actor.kind === 'user' && actor.adultContent)
}

function Byline({ listing }: { listing: Listing }) {
  const { parent } = listing
  return (
    <p class="byline">
      {TYPE_LABELS[listing.asset_type]}{' '}
      {parent === null ? null : (
        <>
          for{' '}
          {'game' in parent ? (
            <a href={`/games/${parent.vanity_name}`}>
              <bdi>{parent.name}</bdi>
            </a>
          ) : (
            <a href={parent.external_url} rel="nofollow noopener">
              <bdi>{parent.external_name}</bdi>
            </a>
          )}{' '}
        </>
      )}
      by <Person person={listing.developer} isLink />
    </p>
  )
}

/** "2nd of 143 in Lantern Jam" */
function Placings({ store: { placings } }: { store: StoreData }) {
  if (placings.length === 0) return null
  return (
    <ul class="strip" aria-label="Places in jams">
      {placings.map(({ slug, title, rank, entries }) => (
        <li key={slug}>
          <a href={jamPath(slug, 'results')}>
            <strong>{formatOrdinal(rank)}</strong> of {numberText(entries)} in <bdi>{title}</bdi>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The questions that players have first, answered in one line. */
function Strip({ store: { listing, reviews } }: { store: StoreData }) {
  const { session_bucket, players_min, players_max, inputs } = listing.taxonomy
  const players = playersText(players_min, players_max)
  const items: [Icon: typeof StarIcon, name: string, words: ComponentChildren][] = []
  if (reviews.average !== null) {
    const count = countText(reviews.count, 'review')
    items.push([
      StarIcon,
      'Rating',
      <a href={`/games/${listing.vanity_name}/reviews`}>
        <strong>{reviews.average.toFixed(1)}</strong> <span class="count">{count}</span>
      </a>,
    ])
  }
  if (session_bucket !== null) items.push([ClockIcon, 'Session', SESSION_LABELS[session_bucket]])
  if (players !== null)
    items.push([PlayersIcon, 'Players', players === '1' ? '1 player' : `${players} players`])
  if (inputs.length > 0) {
    const words = inputs.map((input) => INPUT_LABELS[input]).join(', ')
    items.push([InputsIcon, 'Inputs', words.charAt(0).toUpperCase() + words.slice(1)])
  }
  const { languages } = listing
  const [only] = languages
  if (only) {
    const words = languages.length === 1 ? showLanguage(only.language) : `${languages.length} languages`
    items.push([LanguagesIcon, 'Languages', words])
  }
  if (items.length === 0) return null
  return (
    <ul class="strip" aria-label="At a glance">
      {items.map(([Icon, name, words]) => (
        <li key={name}>
          <Icon />
          <span>
            <span class="visually-hidden">{name}: </span>
            {words}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Tabs({ store: { listing, reviews }, current }: { store: StoreData; current: Tab }) {
  const page = `/games/${listing.vanity_name}`
  const entries: readonly [tab: Tab, path: string, label: string, count: number][] = [
    ['about', page, 'About', 0],
    ['posts', `${page}/posts`, 'News', 0],
    ['reviews', `${page}/reviews`, 'Reviews', reviews.count],
    ['files', `${page}/files`, 'Files', 0],
  ]
  return (
    <nav class="tabs" aria-label="Sections">
      {entries.map(([tab, path, label, count]) => (
        <a key={tab} href={path} aria-current={tab === current ? 'page' : undefined}>
          {label}
          {count === 0 ? null : <span class="count"> {numberText(count)}</span>}
        </a>
      ))}
    </nav>
  )
}

/** Metadata for search engines, link previews and embeds. */
function StoreHead({ store }: { store: StoreData }) {
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

/** The wishlist is for what costs something or is not released yet, and for what is on it already. */
function StoreFollow({ visit, store }: { visit: Visit; store: StoreData }) {
  const { listing, standing } = store
  const { games, wishes } = visit.followed
  if (standing.role !== null) return null
  const isWished = wishes.has(listing.uid)
  const isAwaited = !listing.price.free || listing.status !== 'released'
  const canWish = isWished || (isAwaited && !standing.hasLicense)
  return (
    <FollowButtons
      visit={visit}
      action={`/games/${listing.vanity_name}/follow`}
      name={listing.name}
      isFollowed={games.has(listing.uid)}
      isWished={canWish ? isWished : null}
    />
  )
}
