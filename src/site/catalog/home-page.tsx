import { GENRES } from '../../domain/listings/fields.ts'
import type { HomeSection } from '../../domain/store-settings.ts'
import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card, PopularTags } from '../../features/catalog/pages/model.ts'
import type { Visit } from '../../http/visit.ts'
import { pathOf } from '../components/card.tsx'
import { HiddenNote } from '../components/hidden-note.tsx'
import { SYSTEM_LABELS } from '../kit/labels.ts'
import { Layout } from '../kit/layout.tsx'
import { CollectionShelf, Shelf, type ShelfProps } from './shelf.tsx'

export interface HomeProps {
  visit: Visit
  /** The listing that the operators feature; if undefined, the page features a new one with few players. */
  featured: Card | undefined
  playNow: readonly Card[]
  tonight: readonly Card[]
  unheardOf: readonly Card[]
  newest: readonly Card[]
  updated: readonly Card[]
  collections: readonly ShownCollection[]
  tags: PopularTags['tags']
  /** The number of listings that the reader's hidden tags leave out. */
  hidden: number
  /** False while the store has no operator. */
  isPrepared: boolean
}

/** With fewer games the shelf is left out, because it would look broken. */
const PLAY_NOW_MIN = 4

export function HomePage(props: HomeProps) {
  const { visit, featured, unheardOf, newest, hidden, isPrepared } = props
  const { tagline, description, hero, home, sign_up } = visit.store.settings
  const card = featured ?? unheardOf[0] ?? newest[0]
  // As the first section the featured game is shown beside the headline, elsewhere as a band of its own.
  const [first] = home
  return (
    <Layout visit={visit} title={tagline || hero.headline} description={description} isIndexed>
      <div class="hero">
        <div>
          <h1>{hero.headline}</h1>
          {hero.text === '' ? null : <p class="lead">{hero.text}</p>}
          <ul class="chips" aria-label="Genres">
            {GENRES.map((genre) => (
              <li key={genre}>
                <a class="chip" href={`/search?genres=${genre}`}>
                  {genre}
                </a>
              </li>
            ))}
          </ul>
        </div>
        {first === 'featured' ? <Feature card={card} /> : null}
      </div>
      <div class="sections">
        <HiddenNote {...{ visit, count: hidden, shown: '/?show_hidden=true', hidden: '/' }} />
        {newest.length === 0 && hidden === 0 ? (
          isPrepared ? (
            <EmptyStore canSignUp={sign_up === 'open'} />
          ) : (
            <UnpreparedStore />
          )
        ) : null}
        {home.map((name) =>
          name === first && name === 'featured' ? null : (
            <Section key={name} {...{ name, card }} {...props} />
          ),
        )}
      </div>
    </Layout>
  )
}

type SectionProps = HomeProps & { name: HomeSection; card: Card | undefined }

/** One section, in the order that the operators chose. */
function Section({ name, card, ...props }: SectionProps) {
  if (name === 'featured') return <Feature card={card} look="band" />
  if (name === 'tags') return <Topics tags={props.tags} />
  if (name === 'collections') return <Collections collections={props.collections} />
  return <Shelf {...SHELVES[name](props)} />
}

type ShelfName = Exclude<HomeSection, 'featured' | 'tags' | 'collections'>
const SHELVES: Record<ShelfName, (props: HomeProps) => ShelfProps> = {
  play_now: ({ playNow }) => ({
    title: 'Play now',
    about: 'In the browser, with nothing to install',
    cards: playNow.length < PLAY_NOW_MIN ? [] : playNow,
    more: '/search?os=web',
  }),
  tonight: ({ tonight, visit: { os } }) => ({
    title: 'Tonight',
    about: `Short games that start well on ${os === null ? 'your system' : SYSTEM_LABELS[os]}`,
    cards: tonight,
    more: `/search?session_bucket=15m${os === null ? '' : `&os=${os}`}`,
  }),
  unheard_of: ({ unheardOf }) => ({
    title: 'Unheard of',
    about: 'New, and played by few so far',
    cards: unheardOf,
  }),
  newest: ({ newest }) => ({
    title: 'Newest',
    about: 'Just published',
    cards: newest,
    more: '/search?sort=newest',
  }),
  updated: ({ updated }) => ({
    title: 'Recently updated',
    about: 'New builds and pages',
    cards: updated,
    more: '/search?sort=updated',
  }),
}

function Collections({ collections }: Pick<HomeProps, 'collections'>) {
  const filled = collections.filter(({ cards }) => cards.length > 0)
  if (filled.length === 0) return null
  return (
    <>
      {filled.map((shown) => (
        <CollectionShelf key={shown.collection.uid} shown={shown} />
      ))}
      <p class="after-shelf">
        <a href="/collections">All collections</a>
      </p>
    </>
  )
}

/** The featured game; nothing if it has no cover. */
function Feature({ card, look = '' }: { card: Card | undefined; look?: 'band' | '' }) {
  const picture = card?.cover
  if (!picture) return null
  return (
    <a class={`feature ${look}`} href={`/games/${card.vanity_name}`}>
      <img
        src={pathOf(picture.url)}
        width={picture.width}
        height={picture.height}
        alt=""
        fetchpriority="high"
      />
      <span class="caption">
        <span class="name">{card.name}</span>
        <span>{card.tagline}</span>
      </span>
    </a>
  )
}

function Topics({ tags }: { tags: PopularTags['tags'] }) {
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

function EmptyStore({ canSignUp }: { canSignUp: boolean }) {
  return (
    <div class="empty">
      <h2>The shelves are empty</h2>
      {canSignUp ? (
        <>
          <p>
            Nothing has been published here yet. Sign up, turn on developer mode in your account, and be the
            first.
          </p>
          <a class="button" href="/sign-up">
            Sign up
          </a>
        </>
      ) : (
        <p>Nothing has been published here yet. Come back soon.</p>
      )}
    </div>
  )
}

function UnpreparedStore() {
  return (
    <div class="empty">
      <h2>This store is being prepared</h2>
      <p>
        Nobody runs it yet. If you started the server, open the address with <code>/setup</code> that it
        printed.
      </p>
    </div>
  )
}
