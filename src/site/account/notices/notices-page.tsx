import { NOTICE_KINDS, type NoticeKind } from '../../../domain/notices.ts'
import type { Notice } from '../../../features/community/notices/model.ts'
import type { NoticePage } from '../../../features/community/notices/service.ts'
import { pathOf } from '../../components/card.tsx'
import { CheckIcon } from '../../components/icons.tsx'
import { Empty } from '../../components/lists.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import { FaultSummary, Submit } from '../../kit/form.tsx'
import { countText, Day, Moment } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'

const NOTICES = { read: 'Marked as read.' }

const KIND_LABELS: Readonly<Record<NoticeKind, { one: string; many: string }>> = {
  release: { one: 'Release', many: 'Releases' },
  post: { one: 'Post', many: 'Posts' },
  new_game: { one: 'New game', many: 'New games' },
  price: { one: 'Lower price', many: 'Prices' },
  released: { one: 'Out now', many: 'Out now' },
  bug_fixed: { one: 'Bug fixed', many: 'Fixed bugs' },
  review_answer: { one: 'Answer to your review', many: 'Review answers' },
  refund: { one: 'Refund', many: 'Refunds' },
  operator: { one: 'From the store', many: 'From the store' },
  jam: { one: 'Jam', many: 'Jams' },
}

interface NoticesPageProps {
  state: PageState
  kind: NoticeKind | null
  unreadOnly: boolean
  page: NoticePage
}

/** Newest first, grouped by day and listing. */
export function NoticesPage({ state: { visit, refused, query }, kind, unreadOnly, page }: NoticesPageProps) {
  const { items, nextCursor } = page
  const here = addressOf({ kind, unreadOnly })
  const isFirst = query.cursor === undefined
  const newest = items[0]
  return (
    <Layout visit={visit} title="Notices" style="library" scripts={['live', 'notices']}>
      <div class="library" data-events="/notices/events">
        <div class="row between">
          <h1>Notices</h1>
          <span class="row">
            <a href="/following">What you follow</a>
            <a href="/account/notices">Mails</a>
          </span>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <KindLinks kind={kind} unreadOnly={unreadOnly} />
        <div class="stack" data-live="notices">
          {newest && visit.unread > 0 && isFirst && kind === null ? (
            <form class="row between" method="post" action="/notices/read">
              <span class="quiet small">{countText(visit.unread, 'unread notice')}</span>
              <input type="hidden" name="next" value={here} />
              <Submit look="second" name="until" value={newest.at}>
                Mark all read
              </Submit>
            </form>
          ) : null}
          {items.length === 0 ? <Nothing isFiltered={kind !== null || unreadOnly || !isFirst} /> : null}
          {groupByDay(items).map(([day, notices]) => (
            <section key={day} class="notice-day" aria-labelledby={`day-${day}`}>
              <h2 id={`day-${day}`}>
                <Day at={day} />
              </h2>
              {groupByGame(notices).map((group) => (
                <Group key={group[0]?.uid} notices={group} next={here} />
              ))}
            </section>
          ))}
          <Pages first={isFirst ? null : here} next={nextCursor} kind={kind} unreadOnly={unreadOnly} />
        </div>
      </div>
    </Layout>
  )
}

interface Filter {
  kind: NoticeKind | null
  unreadOnly: boolean
  cursor?: string
}

function addressOf({ kind, unreadOnly, cursor }: Filter): string {
  const query = new URLSearchParams({
    ...(kind !== null && { kind }),
    ...(unreadOnly && { unread: 'true' }),
    ...(cursor !== undefined && { cursor }),
  })
  return query.size === 0 ? '/notices' : `/notices?${query.toString()}`
}

function KindLinks({ kind, unreadOnly }: Pick<NoticesPageProps, 'kind' | 'unreadOnly'>) {
  const current = (isCurrent: boolean) => (isCurrent ? 'page' : undefined)
  return (
    <nav class="notice-kinds" aria-label="Kinds of notices">
      <a href="/notices" aria-current={current(kind === null && !unreadOnly)}>
        All
      </a>
      <a
        href={addressOf({ kind: null, unreadOnly: true })}
        aria-current={current(kind === null && unreadOnly)}
      >
        Unread
      </a>
      {NOTICE_KINDS.map((one) => (
        <a key={one} href={addressOf({ kind: one, unreadOnly: false })} aria-current={current(kind === one)}>
          {KIND_LABELS[one].many}
        </a>
      ))}
    </nav>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty
      title={isFiltered ? 'Nothing here' : 'No notices yet'}
      link={[isFiltered ? '/notices' : '/search', isFiltered ? 'All notices' : 'Find a game']}
    >
      {isFiltered
        ? 'There is no such notice of the last 90 days.'
        : 'Follow games and developers, or put games on your wishlist: what happens to them is told here for 90 days.'}
    </Empty>
  )
}

function groupByDay(notices: readonly Notice[]): [day: string, notices: Notice[]][] {
  return Array.from(Map.groupBy(notices, ({ at }) => at.slice(0, 10)))
}

/** What belongs to no listing stands alone. */
function groupByGame(notices: readonly Notice[]): Notice[][] {
  return Array.from(Map.groupBy(notices, ({ game, uid }) => game?.uid ?? uid).values())
}

function Group({ notices, next }: { notices: readonly Notice[]; next: string }) {
  const game = notices[0]?.game
  return (
    <article class="notice-game">
      {game ? (
        <h3>
          <a href={pathOf(game.url)} dir="auto">
            {game.name}
          </a>
        </h3>
      ) : null}
      <ul>
        {notices.map((notice) => (
          <li key={notice.uid} class={notice.read ? undefined : 'unread'}>
            <Entry notice={notice} />
            {notice.read ? null : <MarkRead notice={notice} next={next} />}
          </li>
        ))}
      </ul>
    </article>
  )
}

function Entry({ notice: { uid, kind, game, title, text, url, at, count, read } }: { notice: Notice }) {
  const { one: label } = KIND_LABELS[kind]
  // The name of the listing stands above.
  const isNamed = title === game?.name
  return (
    <div class="about">
      <a href={pathOf(url)} dir="auto" data-notice={read ? undefined : uid}>
        {isNamed ? label : title}
      </a>
      {text === null ? null : (
        <p class="small" dir="auto">
          {text}
        </p>
      )}
      <p class="quiet small">
        {isNamed ? null : `${label} · `}
        {count === 1 ? null : `and ${countText(count - 1, 'more event')} within a minute · `}
        <Moment at={at} />
      </p>
    </div>
  )
}

function MarkRead({ notice: { uid, title }, next }: { notice: Notice; next: string }) {
  return (
    <form method="post" action="/notices/read">
      <input type="hidden" name="next" value={next} />
      <Submit look="second small" name="uids" value={uid}>
        <CheckIcon />
        <span class="visually-hidden">
          Mark “<bdi>{title}</bdi>” as read
        </span>
      </Submit>
    </form>
  )
}

interface PagesProps extends Filter {
  /** The address of the first page; null on it. */
  first: string | null
  next: string | null
}

function Pages({ first, next, kind, unreadOnly }: PagesProps) {
  if (first === null && next === null) return null
  return (
    <nav class="pages" aria-label="Pages">
      {first === null ? null : (
        <a class="button second" href={first}>
          Newest
        </a>
      )}
      {next === null ? null : (
        <a class="button second" rel="next" href={addressOf({ kind, unreadOnly, cursor: next })}>
          Older
        </a>
      )}
    </nav>
  )
}
