import { jamPath, postPath } from '../../domain/site-urls.ts'
import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card, PopularTags } from '../../features/catalog/pages/model.ts'
import type { PostWithCard } from '../../features/catalog/pages/newest-posts.ts'
import type { JamSummary } from '../../features/jams/jams/model.ts'
import type { ChangelogEntry } from '../../features/listings/changelog/model.ts'
import { CardList, pathOf } from '../components/card.tsx'
import { countText, Day, priceText } from '../kit/labels.tsx'
import type { GenreTile } from './home-plan.ts'
import { PickButton, sourcesOf } from './pick.tsx'
import { ShelfFrame, type ShelfHead } from './shelf.tsx'

export interface RowProps extends ShelfHead {
  cards: readonly Card[]
  /** Whether pictures stand above it, so that its own are not visible at once. */
  isBelow: boolean
}

const SCROLLED_MAX = 8
const SMALL_MAX = 4
/** With fewer a wide one beside small ones would look broken. */
const SPREAD_MIN = 3
const WORDS_MAX = 5

/** Cards in one line that scrolls sideways. */
export function Scroller({ cards, isBelow, ...head }: RowProps) {
  if (cards.length === 0) return null
  return (
    <ShelfFrame {...head} look="scroller">
      <CardList cards={cards.slice(0, SCROLLED_MAX)} isBelow={isBelow} />
    </ShelfFrame>
  )
}

/** One wide card with four small ones below it. */
export function Spread({ cards, isBelow, ...head }: RowProps) {
  if (cards.length === 0) return null
  const wide = cards.length < SPREAD_MIN ? undefined : cards.find(({ cover }) => cover !== null)
  const small = cards.filter((card) => card !== wide)
  return (
    <ShelfFrame {...head} look="spread">
      {wide ? <WideCard card={wide} /> : null}
      <CardList cards={small.slice(0, SMALL_MAX)} isBelow={isBelow || wide !== undefined} />
    </ShelfFrame>
  )
}

/** A large picture beside what it shows, with its button. */
export function WideCard({ card }: { card: Card }) {
  const { vanity_name, name, developer, tagline, cover, price, taxonomy } = card
  // Genres are often tags as well.
  const words = [...new Set([...taxonomy.genres, ...taxonomy.tags])].slice(0, WORDS_MAX)
  return (
    <article class="wide-card">
      {cover ? (
        <img
          class="cover"
          src={pathOf(cover.url)}
          srcset={sourcesOf(card)}
          sizes="(width >= 60rem) 46rem, 100vw"
          width={cover.width}
          height={cover.height}
          alt=""
          decoding="async"
          loading="lazy"
        />
      ) : null}
      <div class="body">
        <h3 dir="auto">
          <a href={`/games/${vanity_name}`}>{name}</a>
        </h3>
        <p class="quiet small" dir="auto">
          {developer.display_name}
        </p>
        <p dir="auto">{tagline}</p>
        <p class="quiet small">{words.join(' · ')}</p>
        <p class="row">
          <PickButton card={card} />
          <strong>{priceText(price)}</strong>
        </p>
      </div>
    </article>
  )
}

export interface Update {
  card: Card
  /** Undefined for a listing without a changelog. */
  change: ChangelogEntry | undefined
}

/** What changed lately, one line each. */
export function Updates({ updates, ...head }: ShelfHead & { updates: readonly Update[] }) {
  if (updates.length === 0) return null
  return (
    <ShelfFrame {...head} look="updates">
      <ul class="update-list">
        {updates.map(({ card, change }) => (
          <li key={card.uid}>
            <Thumbnail card={card} />
            <div>
              <h3 dir="auto">
                <a href={`/games/${card.vanity_name}`}>{card.name}</a>
              </h3>
              <p class="small" dir="auto">
                {change?.version ? <strong>{change.version} </strong> : null}
                {change?.title ?? card.tagline}
              </p>
            </div>
            <span class="quiet small">
              <Day at={change?.created_at ?? card.updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </ShelfFrame>
  )
}

/** What developers wrote lately, one line each. */
export function NewestPosts({ posts, ...head }: ShelfHead & { posts: readonly PostWithCard[] }) {
  if (posts.length === 0) return null
  return (
    <ShelfFrame {...head} look="updates">
      <ul class="update-list">
        {posts.map(({ card, post }) => (
          <li key={post.uid}>
            <Thumbnail card={card} />
            <div>
              <h3 dir="auto">
                <a href={postPath(card.vanity_name, post.slug)}>{post.title}</a>
              </h3>
              <p class="small" dir="auto">
                {card.name}
              </p>
            </div>
            <span class="quiet small">
              <Day at={post.published_at} />
            </span>
          </li>
        ))}
      </ul>
    </ShelfFrame>
  )
}

/** Jams that run, come next or are voted on; with days only, because the page is kept for a while. */
export function Jams({ jams }: { jams: readonly JamSummary[] }) {
  if (jams.length === 0) return null
  return (
    <ShelfFrame title="Jams" about="Make a game with others, or play theirs" more="/jams" look="updates">
      <ul class="update-list">
        {jams.map(({ uid, slug, title, tagline, cover, state, ...times }) => (
          <li key={uid}>
            {cover === null ? (
              <div class="cover no-cover initial" aria-hidden="true">
                {Array.from(title)[0]}
              </div>
            ) : (
              <img class="cover" src={pathOf(cover)} width={1280} height={720} alt="" loading="lazy" />
            )}
            <div>
              <h3 dir="auto">
                <a href={jamPath(slug)}>{title}</a>
              </h3>
              <p class="small" dir="auto">
                {tagline}
              </p>
            </div>
            <span class="quiet small">
              {state === 'coming' ? (
                <>
                  Starts <Day at={times.starts_at} />
                </>
              ) : state === 'running' ? (
                <>
                  Ends <Day at={times.ends_at} />
                </>
              ) : (
                'Voting'
              )}
            </span>
          </li>
        ))}
      </ul>
    </ShelfFrame>
  )
}

const MOSAIC_MAX = 4

/** Each collection as a few pictures; the first is the largest. */
export function Collections({ collections }: { collections: readonly ShownCollection[] }) {
  const filled = collections.filter(({ cards }) => cards.length > 0)
  if (filled.length === 0) return null
  return (
    <div>
      <div class="collections">
        {filled.map(({ collection: { uid, slug, title, text }, cards }) => (
          <ShelfFrame
            key={uid}
            look="mosaic"
            id={`collection-${slug}`}
            about={text}
            more={`/collections/${slug}`}
            title={title}
          >
            <ul class={`picture-tiles of-${Math.min(cards.length, MOSAIC_MAX)}`}>
              {cards.slice(0, MOSAIC_MAX).map((card) => (
                <li key={card.uid}>
                  <Thumbnail card={card} />
                  <a href={`/games/${card.vanity_name}`} dir="auto">
                    {card.name}
                  </a>
                </li>
              ))}
            </ul>
          </ShelfFrame>
        ))}
      </div>
      <p class="after-shelf">
        <a href="/collections">All collections</a>
      </p>
    </div>
  )
}

/** Genres that have listings, as pictures. */
export function Genres({ genres }: { genres: readonly GenreTile[] }) {
  if (genres.length === 0) return null
  return (
    <nav class="genres" aria-label="Genres">
      <ul class="picture-tiles">
        {genres.map(({ genre, count, card }) => (
          <li key={genre}>
            {card ? <Thumbnail card={card} /> : null}
            <a href={`/search?genres=${genre}`}>
              {genre} <span class="count">{countText(count, 'title')}</span>
            </a>
          </li>
        ))}
        <li class="all">
          <a href="/search">
            All<span class="visually-hidden"> genres</span>
          </a>
        </li>
      </ul>
    </nav>
  )
}

export function Topics({ tags }: { tags: PopularTags['tags'] }) {
  if (tags.length === 0) return null
  return (
    <section class="stack" aria-labelledby="popular-tags">
      <h2 id="popular-tags">Popular tags</h2>
      <ul class="chips">
        {tags.map(({ tag, count }) => (
          <li key={tag}>
            <a class="chip" href={`/search?tags=${tag}`}>
              {tag} <span class="quiet">{count}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Thumbnail({ card }: { card: Card }) {
  const picture = card.thumbnail ?? card.cover
  if (!picture) {
    return (
      <div class="cover no-cover initial" aria-hidden="true">
        {Array.from(card.name)[0]}
      </div>
    )
  }
  const { url, width, height } = picture
  return (
    <img
      {...{ class: 'cover', src: pathOf(url), width, height, alt: '', loading: 'lazy', decoding: 'async' }}
    />
  )
}
