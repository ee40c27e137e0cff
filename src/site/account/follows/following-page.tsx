import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import type { FollowedDeveloper, FollowedGame, FollowKind } from '../../../features/catalog/followed/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Empty, Pager } from '../../components/lists.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import { Person } from '../../components/person.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { Check, ChecksField, FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { numberText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'
import { ListCover, NewestRelease } from './follow-parts.tsx'

const NOTICES = {
  saved: 'Your choice is saved.',
  stopped: 'You no longer follow it.',
}

interface FollowingPageProps {
  state: PageState
  kind: FollowKind
  games: Paged<FollowedGame>
  developers: Paged<FollowedDeveloper>
}

/** What the account follows, each with its newest and a form that narrows what one hears of it. */
export function FollowingPage({ state: { visit, refused }, kind, games, developers }: FollowingPageProps) {
  const list = kind === 'games' ? games : developers
  return (
    <Layout visit={visit} title="Following" style="library">
      <div class="library">
        <div class="row between">
          <h1>Following</h1>
          <a href="/wishlist">Wishlist</a>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <nav class="follow-kinds" aria-label="What you follow">
          <Tab href="/following" label="Games" count={games.total} isCurrent={kind === 'games'} />
          <Tab
            href="/following?kind=developers"
            label="Developers"
            count={developers.total}
            isCurrent={kind === 'developers'}
          />
        </nav>
        {list.total === 0 ? <Nothing kind={kind} /> : null}
        {list.total > 0 && list.items.length === 0 ? (
          <p class="quiet">Your list ends before this page.</p>
        ) : null}
        <ul class="library-items list">
          {kind === 'games'
            ? games.items.map((followed) => (
                <li key={followed.game.uid}>
                  <Game followed={followed} />
                </li>
              ))
            : developers.items.map((followed) => (
                <li key={followed.developer.uid}>
                  <Developer followed={followed} />
                </li>
              ))}
        </ul>
        <Pager {...list} url={visit.url} />
      </div>
    </Layout>
  )
}

interface TabProps {
  href: string
  label: string
  count: number
  isCurrent: boolean
}

function Tab({ href, label, count, isCurrent }: TabProps) {
  return (
    <a href={href} aria-current={isCurrent ? 'page' : undefined}>
      {label}
      {count === 0 ? null : <span class="count"> {numberText(count)}</span>}
    </a>
  )
}

function Nothing({ kind }: { kind: FollowKind }) {
  return (
    <Empty title="Nothing here yet" link={['/search', 'Find a game']}>
      {kind === 'games'
        ? 'Press Follow on the page of a game: you hear of its releases and posts here.'
        : 'Press Follow on the page of a developer: you hear of their new games and posts here.'}
    </Empty>
  )
}

const SYSTEMS = OPERATING_SYSTEMS.map((os) => [os, SYSTEM_LABELS[os]] as const)

function Game({ followed }: { followed: FollowedGame }) {
  const { game, releases, posts, platforms } = followed
  const scope = game.uid
  return (
    <article class="entry">
      <ListCover card={game} />
      <div class="about">
        <h2>
          <a href={`/games/${game.vanity_name}`} dir="auto">
            {game.name}
          </a>
        </h2>
        <NewestRelease followed={followed} />
      </div>
      <div class="acts">
        <details class="more-acts" name="following-more">
          <summary class="button second">
            What you hear<span class="visually-hidden"> of {game.name}</span>
          </summary>
          <div class="panel">
            <PostForm action={`/following/games/${game.uid}`} class="stack">
              <Check name="releases" label="Releases" checked={releases} scope={scope} />
              <Check name="posts" label="Posts" checked={posts} scope={scope} />
              <ChecksField
                {...{ form: EMPTY_FORM, name: 'platforms', scope, picked: platforms, options: SYSTEMS }}
                label="Only releases for"
                hint="Nothing ticked: for all systems."
              />
              <Submit name="act" value="save">
                Save
              </Submit>
              <Submit look="second" name="act" value="stop">
                Stop following<span class="visually-hidden"> {game.name}</span>
              </Submit>
            </PostForm>
          </div>
        </details>
      </div>
    </article>
  )
}

function Developer({ followed }: { followed: FollowedDeveloper }) {
  const { developer, newest_game: newest, new_games, posts } = followed
  const scope = developer.uid
  return (
    <article class="entry">
      {newest === null ? <div class="cover no-cover" aria-hidden="true" /> : <ListCover card={newest} />}
      <div class="about">
        <h2>
          <Person person={developer} isLink />
        </h2>
        {newest === null ? null : (
          <p class="small">
            Newest:{' '}
            <a href={`/games/${newest.vanity_name}`} dir="auto">
              {newest.name}
            </a>
          </p>
        )}
      </div>
      <div class="acts">
        <details class="more-acts" name="following-more">
          <summary class="button second">
            What you hear<span class="visually-hidden"> of {developer.display_name}</span>
          </summary>
          <div class="panel">
            <PostForm action={`/following/developers/${developer.uid}`} class="stack">
              <Check name="new_games" label="New games" checked={new_games} scope={scope} />
              <Check name="posts" label="Posts of all their games" checked={posts} scope={scope} />
              <Submit name="act" value="save">
                Save
              </Submit>
              <Submit look="second" name="act" value="stop">
                Stop following<span class="visually-hidden"> {developer.display_name}</span>
              </Submit>
            </PostForm>
          </div>
        </details>
      </div>
    </article>
  )
}
