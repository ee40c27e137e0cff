import type { ChildCard } from '../../features/catalog/pages/browse-model.ts'
import type { RatedReviews } from '../../features/community/reviews/service.ts'
import type { GameRow } from '../../features/games/service.ts'
import type { ChangelogEntry } from '../../features/listings/changelog/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { CardList } from '../components/card.tsx'
import { Pager } from '../components/pager.tsx'
import { Layout } from '../kit/layout.tsx'
import { BackLink } from './back-link.tsx'
import { Changes } from './page/changelog.tsx'
import { Ratings, ReviewList } from './page/reviews.tsx'

interface SubPageProps {
  visit: Visit
  game: GameRow
  canonical: string
}

/** Addresses with a query, such as later pages, are not indexed. */
function isIndexed({ visibility, indexable }: GameRow, { url }: Visit): boolean {
  return visibility === 'public' && indexable && url.search === ''
}

interface ReviewsPageProps extends SubPageProps {
  reviews: RatedReviews
}

export function ReviewsPage({ visit, game, canonical, reviews }: ReviewsPageProps) {
  const title = `Reviews of ${game.name}`
  return (
    <Layout visit={visit} title={title} canonical={canonical} isIndexed={isIndexed(game, visit)}>
      <div class="reading stack">
        <BackLink game={game} />
        <h1>{title}</h1>
        <Ratings reviews={reviews} />
        <ReviewList reviews={reviews.items} />
        <p>
          <a href={`/games/${game.vanityName}#reviews`}>Write a review</a>
        </p>
        <Pager {...reviews} url={visit.url} />
      </div>
    </Layout>
  )
}

interface ChangelogPageProps extends SubPageProps {
  changes: Paged<ChangelogEntry>
}

export function ChangelogPage({ visit, game, canonical, changes }: ChangelogPageProps) {
  const title = `Changelog of ${game.name}`
  return (
    <Layout visit={visit} title={title} canonical={canonical} isIndexed={isIndexed(game, visit)}>
      <div class="reading stack">
        <BackLink game={game} />
        <h1>{title}</h1>
        {changes.total === 0 ? (
          <p class="quiet">The developer has not written down any changes yet.</p>
        ) : null}
        <Changes entries={changes.items} level={2} />
        <Pager {...changes} url={visit.url} />
      </div>
    </Layout>
  )
}

interface ModsPageProps extends SubPageProps {
  children: Paged<ChildCard>
  kind: 'mods' | 'tools' | null
}

const KINDS = [
  [null, 'All'],
  ['mods', 'Mods'],
  ['tools', 'Tools'],
] as const

export function ModsPage({ visit, game, canonical, children, kind }: ModsPageProps) {
  const title = `Mods and tools for ${game.name}`
  const path = `/games/${game.vanityName}/mods`
  return (
    <Layout visit={visit} title={title} canonical={canonical} isIndexed={isIndexed(game, visit)}>
      <div class="stack">
        <BackLink game={game} />
        <h1>{title}</h1>
        <nav aria-label="Kind" class="chips">
          {KINDS.map(([value, label]) => (
            <a
              key={label}
              class="chip"
              href={value === null ? path : `${path}?kind=${value}`}
              aria-current={value === kind ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <h2 class="visually-hidden">Results</h2>
        {children.total === 0 ? (
          <p class="quiet">Nobody has published {kind ?? 'mods or tools'} for it yet.</p>
        ) : (
          <CardList cards={children.items} />
        )}
        <Pager {...children} url={visit.url} />
      </div>
    </Layout>
  )
}
