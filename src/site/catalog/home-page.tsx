import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card, PopularTags } from '../../features/catalog/pages/model.ts'
import type { PostWithCard } from '../../features/catalog/pages/newest-posts.ts'
import type { JamSummary } from '../../features/jams/jams/model.ts'
import type { Visit } from '../../http/visit.ts'
import { HiddenNote } from '../components/hidden-note.tsx'
import { Empty } from '../components/lists.tsx'
import { SYSTEM_LABELS } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { Hero, preloadOf } from './home-hero.tsx'
import {
  chooseGenres,
  choosePicks,
  type GenreCount,
  PLAY_NOW_MIN,
  type RowName,
  type Rows,
  withoutRepeats,
} from './home-plan.ts'
import {
  Collections,
  Genres,
  Jams,
  NewestPosts,
  type RowProps,
  Scroller,
  Spread,
  Topics,
  type Update,
  Updates,
} from './home-rows.tsx'
import { FeaturedPick } from './pick.tsx'

export interface HomeProps {
  visit: Visit
  /** The listing that the operators feature; if undefined, the page chooses. */
  chosen: Card | undefined
  rows: Rows
  updates: readonly Update[]
  posts: readonly PostWithCard[]
  jams: readonly JamSummary[]
  collections: readonly ShownCollection[]
  /** How many listings each genre has, and the listings whose pictures may stand for one. */
  genres: readonly GenreCount[]
  pictured: readonly Card[]
  tags: PopularTags['tags']
  /** The number of listings that the reader's hidden tags leave out. */
  hidden: number
  /** False while the store has no operator. */
  isPrepared: boolean
}

export function HomePage(props: HomeProps) {
  const { visit, collections, hidden, isPrepared } = props
  const { settings } = visit.store
  const { tagline, description, hero, home, sign_up } = settings
  const picks = home.includes('featured') ? choosePicks(props) : []
  // Listings stand beside the headline where they are the first section, elsewhere one is a band of its own.
  const shown = home[0] === 'featured' ? picks : []
  const rows = withoutRepeats(shown, props.rows, home)
  const isEmpty = props.rows.newest.length === 0 && hidden === 0
  return (
    <Layout
      visit={visit}
      title={tagline || hero.headline}
      description={description}
      isIndexed
      preload={preloadOf({ settings, picks: shown })}
    >
      <Hero {...{ settings, picks: shown }} />
      <div class="sections">
        <HiddenNote {...{ visit, count: hidden, shown: '/?show_hidden=true', hidden: '/' }} />
        {isEmpty ? isPrepared ? <EmptyStore canSignUp={sign_up === 'open'} /> : <UnpreparedStore /> : null}
        <Genres genres={chooseGenres(props.genres, props.pictured)} />
        {home.map((name, index) => {
          if (name === 'featured') return index === 0 ? null : <Band key={name} card={picks[0]} />
          if (name === 'tags') return <Topics key={name} tags={props.tags} />
          if (name === 'collections') return <Collections key={name} collections={collections} />
          if (name === 'updated') return <Updates key={name} {...UPDATED} updates={props.updates} />
          if (name === 'posts') return <NewestPosts key={name} {...POSTS} posts={props.posts} />
          if (name === 'jams') return <Jams key={name} jams={props.jams} />
          return <Row key={name} {...{ name, visit, cards: rows[name], isBelow: shown.length > 0 }} />
        })}
      </div>
    </Layout>
  )
}

const UPDATED = {
  title: 'Recently updated',
  about: 'New builds and pages',
  more: '/search?sort=updated',
}

const POSTS = { title: 'News', about: 'What developers write to their players' }

interface NamedRowProps extends Pick<RowProps, 'cards' | 'isBelow'> {
  name: RowName
  visit: Visit
}

/** Rows of different rhythm, so that the eye finds its place. */
function Row({ name, visit: { os }, cards, isBelow }: NamedRowProps) {
  const row = { cards, isBelow }
  switch (name) {
    case 'play_now':
      return cards.length < PLAY_NOW_MIN ? null : (
        <Scroller
          {...row}
          title="Play now"
          about="In the browser, with nothing to install"
          more="/search?playable=true"
        />
      )
    case 'tonight':
      return (
        <Spread
          {...row}
          title="Tonight"
          about={`Short games that start well on ${os === null ? 'your system' : SYSTEM_LABELS[os]}`}
          more={`/search?session_bucket=15m${os === null ? '' : `&os=${os}`}`}
        />
      )
    case 'unheard_of':
      return <Scroller {...row} title="Unheard of" about="New, and played by few so far" />
    case 'newest':
    default:
      return <Spread {...row} title="Newest" about="Just published" more="/search?sort=newest" />
  }
}

/** The featured listing between other sections. */
function Band({ card }: { card: Card | undefined }) {
  if (!card) return null
  return (
    <div class="band">
      <FeaturedPick card={card} sizes="(width >= 72rem) 76rem, 100vw" />
    </div>
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
    <Empty title="This store is being prepared">
      Nobody runs it yet. If you started the server, open the address with <code>/setup</code> that it
      printed.
    </Empty>
  )
}
