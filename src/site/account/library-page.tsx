import type { NamedNotice } from '../../features/bugs/tickets/service.ts'
import {
  FILTER_TEXT_MAX,
  type LibraryItem,
  type LibrarySort,
} from '../../features/community/library/model.ts'
import type { LibraryFilter } from '../../features/community/library/service.ts'
import type { Order } from '../../features/selling/orders/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { DoneNotice } from '../components/notice.tsx'
import type { Refused } from '../kit/form-state.ts'
import { FaultSummary, Submit } from '../kit/form.tsx'
import { countText, Day, numberText } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { OrderList } from '../listing/orders/order-page.tsx'
import { ChangeForm, Entry, type LibraryFiles, nameOf } from './library-entry.tsx'

export const LIBRARY_VIEWS = ['grid', 'list'] as const
type LibraryView = (typeof LIBRARY_VIEWS)[number]

interface LibraryPageProps extends LibraryFiles {
  visit: Visit
  filter: LibraryFilter
  view: LibraryView
  found: Paged<LibraryItem>
  /** What was played last; empty where something is looked for. */
  recent: readonly LibraryItem[]
  /** Gifts that are not accepted yet, newest first. */
  gifts: Paged<LibraryItem>
  /** The number of titles that the person hid from their library. */
  hidden: number
  /** Notices about fixed bugs that the visitor reported. */
  notices: readonly NamedNotice[]
  /** The newest orders. */
  orders: Paged<Order>
  refused?: Refused | undefined
}

const NOTICES = {
  redeemed: 'Your key is redeemed.',
  accept: 'It is in your library now.',
  hide: 'Taken out of your library. You find it under “Taken out” at the end of this page.',
  decline: 'Declined. You find it under “Taken out” at the end of this page.',
  restore: 'Back in your library.',
}

const SORT_LABELS: Readonly<Record<LibrarySort, string>> = {
  newest: 'Newest first',
  recent: 'Last played',
  name: 'Name',
  played: 'Most played',
}

const VIEW_LABELS: Readonly<Record<LibraryView, string>> = { grid: 'Grid', list: 'List' }

export function LibraryPage({
  visit,
  filter,
  view,
  found,
  recent,
  notices,
  orders,
  refused,
  ...rest
}: LibraryPageProps) {
  const { gifts, hidden, ...files } = rest
  const isHidden = filter.show === 'hidden'
  const isEmpty = found.total === 0 && filter.text === ''
  const title = isHidden ? 'Taken out of your library' : 'Library'
  const above = new Set(recent.map(({ game }) => game.uid))
  const entries = { visit, ...files }
  return (
    <Layout visit={visit} title={title} style="library" scripts={['copy', 'library']}>
      <div class="library">
        <div class="row between">
          <h1>{title}</h1>
          {isHidden ? <a href="/library">Back to the library</a> : <a href="/redeem">Redeem a key</a>}
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <FixedBugs notices={notices} />
        <Gifts gifts={gifts} />
        {isEmpty ? null : <FilterForm {...{ filter, view, url: visit.url }} />}
        <div role="status" id="lost" class="notice warn" />
        <div id="library-found" class="stack">
          {recent.length === 0 ? null : (
            <section class="stack" aria-labelledby="continue">
              <h2 id="continue">Continue</h2>
              <ul class="library-items grid continue">
                {recent.map((item) => (
                  <li key={item.game.uid}>
                    <Entry {...entries} item={item} level={3} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          {isEmpty ? (
            <EmptyLibrary isHidden={isHidden} />
          ) : (
            <p role="status" class="quiet small">
              {countText(found.total, 'title')}
            </p>
          )}
          {found.items.length > above.size ? (
            <ul class={`library-items ${view}`}>
              {found.items
                .filter(({ game }) => !above.has(game.uid))
                .map((item) => (
                  <li key={item.game.uid}>
                    <Entry {...entries} item={item} level={2} />
                  </li>
                ))}
            </ul>
          ) : null}
          {found.items.length === 0 && !isEmpty ? <NothingHere filter={filter} /> : null}
          <Pager {...found} url={visit.url} />
        </div>
        {hidden === 0 || isHidden ? null : (
          <p>
            <a href="/library?show=hidden">Taken out: {countText(hidden, 'title')}</a>
          </p>
        )}
        {orders.total === 0 ? null : <NewestOrders orders={orders} />}
      </div>
    </Layout>
  )
}

function NewestOrders({ orders }: { orders: Paged<Order> }) {
  return (
    <section class="stack" aria-labelledby="orders">
      <h2 id="orders">Orders</h2>
      <OrderList orders={orders.items} />
      {orders.total > orders.items.length ? (
        <a href="/orders">All {numberText(orders.total)} orders</a>
      ) : null}
    </section>
  )
}

function FilterForm({ filter, view, url }: { filter: LibraryFilter; view: LibraryView; url: URL }) {
  return (
    <div class="library-filter">
      <form action="/library" method="get" class="row" id="library-filter">
        {filter.show === 'hidden' ? <input type="hidden" name="show" value="hidden" /> : null}
        {view === 'grid' ? null : <input type="hidden" name="view" value={view} />}
        <label class="visually-hidden" for="library-q">
          Filter by name
        </label>
        <input
          {...{ id: 'library-q', name: 'q', type: 'search', value: filter.text, maxLength: FILTER_TEXT_MAX }}
          class="input"
          placeholder="Filter by name"
          autoComplete="off"
        />
        <label class="visually-hidden" for="library-sort">
          Sort by
        </label>
        <select class="input" id="library-sort" name="sort">
          {Object.entries(SORT_LABELS).map(([value, label]) => (
            <option key={value} value={value} selected={value === filter.sort}>
              {label}
            </option>
          ))}
        </select>
        <Submit look="second">Apply</Submit>
      </form>
      <nav class="views" aria-label="View">
        {LIBRARY_VIEWS.map((one) => (
          <a key={one} href={viewPath(url, one)} aria-current={one === view ? 'true' : undefined}>
            {VIEW_LABELS[one]}
          </a>
        ))}
      </nav>
    </div>
  )
}

/** The same titles, shown in another way. */
function viewPath(url: URL, view: LibraryView): string {
  const query = new URLSearchParams(url.search)
  query.delete('done')
  if (view === 'grid') query.delete('view')
  else query.set('view', view)
  return query.size === 0 ? '/library' : `/library?${query.toString()}`
}

function EmptyLibrary({ isHidden }: { isHidden: boolean }) {
  if (isHidden) {
    return (
      <Empty title="Nothing is taken out">
        What you take out of your library is kept here, and can be brought back.
      </Empty>
    )
  }
  return (
    <Empty title="Nothing here yet" link={['/search', 'Find a game']}>
      Open a free game and press Get: it is kept here, with its newest build and how long you played.
    </Empty>
  )
}

function NothingHere({ filter }: { filter: LibraryFilter }) {
  return (
    <div class="empty">
      <h2>Nothing fits</h2>
      <p>
        {filter.text === ''
          ? 'Your library ends before this page.'
          : `No title in your library has “${filter.text}” in its name.`}
      </p>
      <a class="button second" href="/library">
        Show all
      </a>
    </div>
  )
}

/** Licences that owners gave to this person; they become valid when accepted. */
function Gifts({ gifts }: { gifts: Paged<LibraryItem> }) {
  if (gifts.total === 0) return null
  return (
    <section class="stack" aria-labelledby="gifts">
      <h2 id="gifts">Given to you</h2>
      {gifts.items.map((item) => (
        <div key={item.game.uid} class="notice info">
          <p>
            Its developer gave you{' '}
            {item.game.vanity_name === null ? (
              <strong dir="auto">{nameOf(item)}</strong>
            ) : (
              <a href={`/games/${item.game.vanity_name}`} dir="auto">
                {nameOf(item)}
              </a>
            )}{' '}
            <span class="quiet small">
              on <Day at={item.since} />
            </span>
          </p>
          <div class="row">
            <ChangeForm item={item} act="accept" />
            <ChangeForm item={item} act="decline" look="second" />
          </div>
        </div>
      ))}
      {gifts.total > gifts.items.length ? (
        <p class="quiet small">
          {countText(gifts.total - gifts.items.length, 'more gift')} once you have decided about these.
        </p>
      ) : null}
    </section>
  )
}

/** Tells which of the visitor's bug reports were fixed, until each is acknowledged. */
function FixedBugs({ notices }: { notices: readonly NamedNotice[] }) {
  if (notices.length === 0) return null
  return (
    <section class="stack" aria-labelledby="fixed-bugs">
      <h2 id="fixed-bugs">Fixed bugs</h2>
      {notices.map((notice) => (
        <div key={notice.uid} class="notice good">
          <p>
            <strong>{fixedText(notice)}</strong> “<bdi>{notice.excerpt}</bdi>”{' '}
            <span class="quiet small">
              <bdi>{notice.game_name ?? 'A hidden title'}</bdi>, <Day at={notice.fixed_at} />
            </span>
          </p>
          <form method="post" action="/library/notices">
            <input type="hidden" name="uid" value={notice.uid} />
            <Submit look="second">
              Got it<span class="visually-hidden">: {notice.excerpt}</span>
            </Submit>
          </form>
        </div>
      ))}
    </section>
  )
}

function fixedText({ fixed_in_version }: NamedNotice): string {
  return fixed_in_version === null
    ? 'Your report was fixed.'
    : `Your report was fixed in ${fixed_in_version}.`
}
