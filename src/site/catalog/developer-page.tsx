import { postPath } from '../../domain/site-urls.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import type { DeveloperShelves } from '../../features/catalog/pages/service.ts'
import type { PostOfGame } from '../../features/community/posts/public-posts.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { CardList, pathOf } from '../components/card.tsx'
import { FollowButtons } from '../components/follows/follow-buttons.tsx'
import { Pager } from '../components/lists.tsx'
import { DoneNotice } from '../components/notice.tsx'
import { Face } from '../components/person.tsx'
import { Prose } from '../components/prose.tsx'
import type { Refused } from '../kit/form-state.ts'
import { FaultSummary } from '../kit/form.tsx'
import { countText, Day } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { WideCard } from './home-rows.tsx'

export const DEVELOPER_PARTS = { games: 'Games', others: 'Tools, mods and assets' } as const
export type DeveloperPart = keyof typeof DEVELOPER_PARTS

interface DeveloperPageProps extends DeveloperShelves {
  visit: Visit
  /** The only part that is shown, page by page; null for the first page of both. */
  part: DeveloperPart | null
  posts: readonly PostOfGame[]
  refused?: Refused | undefined
}

const NOTICES = {
  follow: 'You follow this developer: you hear of new games and posts.',
  unfollow: 'You no longer follow this developer.',
}

/** A developer: who they are, and what they have published, newest first. */
export function DeveloperPage({
  visit,
  developer,
  featured,
  part,
  posts,
  refused,
  ...shelves
}: DeveloperPageProps) {
  const { username, display_name, picture, url, bio_html, banner, published } = developer
  const total = published.games + published.others
  const share = banner ?? picture
  return (
    <Layout
      visit={visit}
      title={display_name}
      description={`${countText(total, 'listing')} by ${display_name}.`}
      canonical={url}
      isIndexed={visit.url.search === ''}
      head={
        <>
          <link rel="alternate" type="application/atom+xml" title={display_name} href={`${url}/feed.xml`} />
          <meta property="og:type" content="profile" />
          <meta property="og:title" content={display_name} />
          <meta property="og:url" content={url} />
          <meta property="profile:username" content={username} />
          {share === null ? null : <meta property="og:image" content={share} />}
        </>
      }
    >
      <div class="developer">
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        {banner === null ? null : (
          <img class="developer-banner" src={pathOf(banner)} width={1600} height={400} alt="" />
        )}
        <DeveloperTop {...{ visit, developer, total }} />
        {part === null && bio_html !== '' ? <Prose class="developer-text" html={bio_html} under={1} /> : null}
        {part === null && featured !== null ? <Featured card={featured} /> : null}
        <DeveloperNews posts={posts} />
        {(['games', 'others'] as const)
          .filter((each) => part === null || part === each)
          .map((each) => (
            <Part key={each} {...{ visit, part: each, list: shelves[each] }} isWhole={part !== null} />
          ))}
        {total === 0 ? <p class="quiet">Nothing here can be shown to you.</p> : null}
      </div>
    </Layout>
  )
}

interface TopProps extends Pick<DeveloperShelves, 'developer'> {
  visit: Visit
  total: number
}

function DeveloperTop({ visit, developer, total }: TopProps) {
  const { uid, username, display_name, links, created_at } = developer
  const isOwn = visit.actor.kind === 'user' && visit.actor.userUid === uid
  return (
    <header class="developer-top">
      <Face person={developer} class="large" />
      <div>
        <h1 dir="auto">{display_name}</h1>
        <p class="quiet">
          {username === display_name ? null : `${username} · `}
          {countText(total, 'listing')}, here since <Day at={created_at} />
        </p>
        {links.length === 0 ? null : (
          <ul class="links" aria-label="Links">
            {links.map(({ label, url }) => (
              <li key={url}>
                <a href={url} rel="me nofollow ugc noopener" dir="auto">
                  {label}
                </a>
              </li>
            ))}
          </ul>
        )}
        {isOwn ? null : (
          <FollowButtons
            visit={visit}
            action={`/developers/${username}/follow`}
            name={display_name}
            isFollowed={visit.followed.developers.has(uid)}
          />
        )}
      </div>
    </header>
  )
}

/** What they wrote lately to the players of their listings. */
function DeveloperNews({ posts }: { posts: readonly PostOfGame[] }) {
  if (posts.length === 0) return null
  return (
    <section aria-labelledby="news">
      <h2 id="news">News</h2>
      <ul class="records panel">
        {posts.map(({ post, game }) => (
          <li key={post.uid}>
            <div>
              <h3 dir="auto">
                <a href={postPath(game.vanity_name, post.slug)}>{post.title}</a>
              </h3>
              <p class="quiet small">
                <bdi>{game.name}</bdi>, <Day at={post.published_at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Featured({ card }: { card: Card }) {
  return (
    <section aria-labelledby="featured">
      <h2 id="featured">Featured</h2>
      <WideCard card={card} />
    </section>
  )
}

interface PartProps {
  visit: Visit
  part: DeveloperPart
  list: Paged<Card>
  /** Whether all of it can be paged through here. */
  isWhole: boolean
}

function Part({ visit, part, list, isWhole }: PartProps) {
  const { items, total } = list
  const title = DEVELOPER_PARTS[part]
  if (total === 0) return null
  return (
    <section aria-labelledby={part}>
      <h2 id={part}>{title}</h2>
      {items.length > 0 ? <CardList cards={items} /> : <p class="quiet">These listings end before.</p>}
      {isWhole ? <Pager {...list} url={visit.url} /> : null}
      {!isWhole && total > items.length ? (
        <p>
          <a href={`${visit.url.pathname}?show=${part}`}>
            All {countText(total, 'listing')}
            <span class="visually-hidden"> of {title}</span>
          </a>
        </p>
      ) : null}
    </section>
  )
}
