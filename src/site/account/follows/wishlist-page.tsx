import type { ComponentChildren } from 'preact'

import type { ShownPerson } from '../../../domain/actor.ts'
import type { FollowedGame } from '../../../features/catalog/followed/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Empty, Pager } from '../../components/lists.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import { PersonName } from '../../components/person.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, priceText } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'
import { ListCover, NewestRelease } from './follow-parts.tsx'

const NOTICES = {
  removed: 'It is no longer on your wishlist.',
  moved: 'Your order is saved.',
  shared: 'Everyone who knows the address can open your wishlist now.',
  ended: 'Your wishlist is no longer shared, and its address no longer works.',
}

interface WishlistPageProps {
  state: PageState
  wishes: Paged<FollowedGame>
  /** Where others read it; null while it is not shared. */
  shareUrl: string | null
}

/** What the account wishes, in its own order, with the prices and how they changed. */
export function WishlistPage({ state: { visit, refused }, wishes, shareUrl }: WishlistPageProps) {
  const { items, total } = wishes
  return (
    <Layout visit={visit} title="Wishlist" style="library" scripts={['copy']}>
      <div class="library">
        <div class="row between">
          <h1>Wishlist</h1>
          <a href="/following">Following</a>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        {total === 0 ? (
          <Empty title="Nothing here yet" link={['/search', 'Find a game']}>
            Press Wishlist on the page of a game: you hear when it gets cheaper or is released.
          </Empty>
        ) : null}
        {total > 0 && items.length === 0 ? <p class="quiet">Your wishlist ends before this page.</p> : null}
        <ol class="library-items list">
          {items.map((wish, index) => (
            <li key={wish.game.uid}>
              <Wish wish={wish}>
                <Order
                  {...{ wish, above: items[index - 1], below: items[index + 1] }}
                  isLast={wish.position === total}
                />
              </Wish>
            </li>
          ))}
        </ol>
        <Pager {...wishes} url={visit.url} />
        {total === 0 && shareUrl === null ? null : <Sharing shareUrl={shareUrl} />}
      </div>
    </Layout>
  )
}

interface SharedWishlistProps {
  visit: Visit
  person: ShownPerson
  wishes: Paged<FollowedGame>
}

/** The wishlist of another person, who gave its address away. */
export function SharedWishlistPage({ visit, person, wishes }: SharedWishlistProps) {
  return (
    <Layout visit={visit} title={`Wishlist of ${person.display_name}`} style="library">
      <div class="library">
        <h1>
          Wishlist of <PersonName {...person} />
        </h1>
        {wishes.total === 0 ? <p class="quiet">There is nothing on it now.</p> : null}
        <ol class="library-items list">
          {wishes.items.map((wish) => (
            <li key={wish.game.uid}>
              <Wish wish={wish} />
            </li>
          ))}
        </ol>
        <Pager {...wishes} url={visit.url} />
      </div>
    </Layout>
  )
}

interface WishProps {
  wish: FollowedGame
  /** What its owner can do with it. */
  children?: ComponentChildren
}

function Wish({ wish, children }: WishProps) {
  const { game, price_cents: cents } = wish
  return (
    <article class="entry">
      <ListCover card={game} />
      <div class="about">
        <h2>
          <a href={`/games/${game.vanity_name}`} dir="auto">
            {game.name}
          </a>
        </h2>
        <p class="row">
          <strong>{priceText({ cents, free: cents === 0 })}</strong>
          {children === undefined ? null : <PriceChange wish={wish} />}
        </p>
        <NewestRelease followed={wish} />
      </div>
      {children}
    </article>
  )
}

/** What the price did since it was wished. */
function PriceChange({ wish: { price_cents: now, wished_price_cents: before } }: { wish: FollowedGame }) {
  if (before === null || before === now) return null
  const text = priceText({ cents: before, free: before === 0 })
  if (now > before) return <span class="quiet small">It was {text} when you wished it.</span>
  const percent = Math.round((100 * (before - now)) / before)
  return (
    <>
      <Badge tone="good">{`${percent} % less`}</Badge>
      <span class="quiet small">It was {text} when you wished it.</span>
    </>
  )
}

interface OrderProps {
  wish: FollowedGame
  above: FollowedGame | undefined
  below: FollowedGame | undefined
  isLast: boolean
}

/** Moves past the neighbour that is shown: hidden listings keep a place, too. */
function Order({ wish: { game, position }, above, below, isLast }: OrderProps) {
  const action = `/wishlist/games/${game.uid}`
  const up = above?.position ?? (position ?? 1) - 1
  const down = below?.position ?? (position ?? 0) + 1
  return (
    <div class="acts">
      <PostForm action={action} class="row">
        <Submit look="second" name="position" value={up} disabled={up < 1}>
          Up<span class="visually-hidden">: {game.name}</span>
        </Submit>
        <Submit look="second" name="position" value={down} disabled={isLast}>
          Down<span class="visually-hidden">: {game.name}</span>
        </Submit>
        <Submit look="second" name="act" value="remove">
          Remove<span class="visually-hidden"> {game.name}</span>
        </Submit>
      </PostForm>
    </div>
  )
}

function Sharing({ shareUrl }: { shareUrl: string | null }) {
  return (
    <section class="panel stack" id="share" aria-labelledby="share-title">
      <h2 id="share-title">Share it</h2>
      {shareUrl === null ? (
        <>
          <p>Make a secret address: who knows it sees your wishlist and your name, and nothing else.</p>
          <PostForm action="/wishlist/share" class="row">
            <Submit name="act" value="share">
              Share
            </Submit>
          </PostForm>
        </>
      ) : (
        <>
          <CopyBlock id="share-url" title="The address of your wishlist" text={shareUrl} under={2} />
          <PostForm action="/wishlist/share" class="row">
            <Submit look="second" name="act" value="stop">
              Stop sharing
            </Submit>
          </PostForm>
        </>
      )}
    </section>
  )
}
