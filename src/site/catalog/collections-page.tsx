import type { CollectionSummary } from '../../features/catalog/collections/model.ts'
import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { CardList } from '../components/card.tsx'
import { Empty, Pager } from '../components/lists.tsx'
import { countText } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { CollectionShelf } from './shelf.tsx'

interface CollectionsPageProps {
  visit: Visit
  shown: Paged<ShownCollection>
  canonical: string
}

/** All collections, each with its first listings. */
export function CollectionsPage({ visit, shown, canonical }: CollectionsPageProps) {
  const { name } = visit.store.settings
  const filled = shown.items.filter(({ cards }) => cards.length > 0)
  return (
    <Layout
      {...{ visit, title: 'Collections', canonical }}
      description={`Listings that the people who run ${name} put together.`}
      isIndexed={visit.url.search === ''}
    >
      <div class="sections">
        <h1>Collections</h1>
        {filled.length > 0 ? (
          filled.map((one) => <CollectionShelf key={one.collection.uid} shown={one} />)
        ) : (
          <Empty title="There are no collections" link={['/search', 'Browse']}>
            Nothing is put together here at the moment. Browse the whole catalog instead.
          </Empty>
        )}
        <Pager {...shown} url={visit.url} />
      </div>
    </Layout>
  )
}

interface CollectionPageProps {
  visit: Visit
  summary: CollectionSummary
  cards: readonly Card[]
}

/** One collection with everything in it, in the order of the operators. */
export function CollectionPage({ visit, summary, cards }: CollectionPageProps) {
  const { slug, title, text, url, feed_url } = summary
  const { shareImage } = visit.store
  const picture = cards.find(({ cover }) => cover !== null)?.cover?.url ?? shareImage
  return (
    <Layout
      {...{ visit, title, canonical: url }}
      description={text || `${countText(cards.length, 'listing')}: ${title}.`}
      isIndexed={visit.url.search === ''}
      head={
        <>
          <meta property="og:title" content={title} />
          <meta property="og:url" content={url} />
          {picture === null ? null : <meta property="og:image" content={picture} />}
          <link rel="alternate" type="application/atom+xml" title={title} href={feed_url} />
        </>
      }
    >
      <div class="stack">
        <header class="collection-head">
          <h1 dir="auto">{title}</h1>
          {text === '' ? null : (
            <p class="lead" dir="auto">
              {text}
            </p>
          )}
          <p class="quiet">
            {countText(cards.length, 'listing')} · <a href={`/search?collection=${slug}`}>Filter these</a> ·{' '}
            <a href={`/collections/${slug}/feed.xml`}>Feed</a> · <a href="/collections">All collections</a>
          </p>
        </header>
        <h2 class="visually-hidden">Listings</h2>
        {cards.length > 0 ? (
          <CardList cards={cards} />
        ) : (
          <p class="quiet">Nothing here can be shown to you.</p>
        )}
      </div>
    </Layout>
  )
}
