import type { NamedNotice } from '../../features/bugs/tickets/service.ts'
import type { OtherFile, SystemFile } from '../../features/builds/channels/stable-files.ts'
import type { InstallableItem } from '../../features/catalog/installs/model.ts'
import {
  FILTER_TEXT_MAX,
  type LibraryItem,
  type LibrarySort,
} from '../../features/community/library/model.ts'
import type { LibraryFilter } from '../../features/community/library/service.ts'
import type { Order } from '../../features/selling/orders/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { Badge } from '../components/badge.tsx'
import { pathOf } from '../components/card.tsx'
import { PictureIcon } from '../components/icons.tsx'
import { DoneNotice } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { Day } from '../kit/dates.tsx'
import type { Refused } from '../kit/form-state.ts'
import { FaultSummary, Submit } from '../kit/form.tsx'
import { countText, numberText } from '../kit/labels.ts'
import { Layout } from '../kit/layout.tsx'
import { OrderList } from '../listing/orders/order-page.tsx'
import { AllDownloads, Get, type GetProps, OtherApps } from './library-get.tsx'

interface LibraryPageProps {
  visit: Visit
  filter: LibraryFilter
  found: Paged<LibraryItem>
  /** Gifts that are not accepted yet, newest first. */
  gifts: Paged<LibraryItem>
  /** The number of titles that the person hid from their library. */
  hidden: number
  /** Builds of titles whose page is hidden, by game. */
  builds: ReadonlyMap<string, InstallableItem['builds']>
  /** Files for the visitor's system, by game. */
  files: ReadonlyMap<string, SystemFile>
  /** Files of other programs than the games themselves, by game. */
  others: ReadonlyMap<string, readonly OtherFile[]>
  /** The games that can be played in the browser. */
  playable: ReadonlySet<string>
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
  name: 'Name',
  played: 'Most played',
}

export function LibraryPage({ visit, filter, found, notices, orders, refused, ...rest }: LibraryPageProps) {
  const { files, others, playable, builds, gifts, hidden } = rest
  const isHidden = filter.show === 'hidden'
  const isEmpty = found.total === 0 && filter.text === ''
  const title = isHidden ? 'Taken out of your library' : 'Library'
  return (
    <Layout visit={visit} title={title} scripts={['copy']}>
      <div class="library">
        <div class="row between">
          <h1>{title}</h1>
          {isHidden ? <a href="/library">Back to the library</a> : <a href="/redeem">Redeem a key</a>}
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <FixedBugs notices={notices} />
        <Gifts gifts={gifts} />
        {isEmpty ? <EmptyLibrary isHidden={isHidden} /> : <FilterForm filter={filter} total={found.total} />}
        {found.items.length > 0 ? (
          <ul class="library-list">
            {found.items.map((item) => (
              <li key={item.game.uid} class="panel">
                <Entry
                  {...{ visit, item, file: files.get(item.game.uid) }}
                  isPlayable={playable.has(item.game.uid)}
                />
                <OtherApps item={item} files={others.get(item.game.uid) ?? []} />
                <AllDownloads item={item} builds={builds.get(item.game.uid) ?? []} />
              </li>
            ))}
          </ul>
        ) : null}
        {found.items.length === 0 && !isEmpty ? <NothingHere filter={filter} /> : null}
        <Pager {...found} url={visit.url} />
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

function FilterForm({ filter, total }: { filter: LibraryFilter; total: number }) {
  return (
    <div class="library-filter">
      <form action="/library" method="get" class="row">
        {filter.show === 'hidden' ? <input type="hidden" name="show" value="hidden" /> : null}
        <label class="visually-hidden" for="library-q">
          Filter by name
        </label>
        <input
          {...{ id: 'library-q', name: 'q', type: 'search', value: filter.text, maxLength: FILTER_TEXT_MAX }}
          class="input"
          placeholder="Filter by name"
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
      <p role="status" class="quiet small">
        {countText(total, 'title')}
      </p>
    </div>
  )
}

function Entry({ visit, item, file, isPlayable }: GetProps) {
  const { game, since, play_minutes, beta, removed_at, hidden, unavailable } = item
  return (
    <article class="entry">
      {game.cover ? (
        <img
          {...{ class: 'cover', src: pathOf(game.cover.url), alt: '', loading: 'lazy', decoding: 'async' }}
          width={game.cover.width}
          height={game.cover.height}
        />
      ) : (
        <div class="cover no-cover">
          <PictureIcon />
        </div>
      )}
      <div>
        <h2>
          {game.vanity_name === null ? nameOf(item) : <a href={`/games/${game.vanity_name}`}>{game.name}</a>}
        </h2>
        <p class="quiet small">
          {playText(play_minutes)} · In your library since <Day at={since} />
        </p>
        <p class="row">
          {beta ? <Badge tone="fair">Beta</Badge> : null}
          {unavailable === 'missing' ? <Absence removedAt={removed_at} /> : null}
          {unavailable === null && game.vanity_name === null ? <Badge>Page hidden</Badge> : null}
        </p>
        {unavailable === 'adult' ? (
          <p class="small">
            Turn on <a href="/account">Show adult content</a> in your account to get it.
          </p>
        ) : null}
        <ChangeForm item={item} act={hidden ? 'restore' : 'hide'} look="plain small" />
      </div>
      <Get {...{ visit, item, file, isPlayable }} />
    </article>
  )
}

function Absence({ removedAt }: { removedAt: string | null }) {
  return (
    <Badge>
      {removedAt === null ? (
        'Not available now'
      ) : (
        <>
          Removed from the store on <Day at={removedAt} />
        </>
      )}
    </Badge>
  )
}

function playText(minutes: number): string {
  if (minutes === 0) return 'Not played yet'
  if (minutes < 60) return `${countText(minutes, 'minute')} played`
  const hours = Math.round(minutes / 6) / 10
  return `${countText(hours, 'hour')} played`
}

function EmptyLibrary({ isHidden }: { isHidden: boolean }) {
  if (isHidden) {
    return (
      <div class="empty">
        <h2>Nothing is taken out</h2>
        <p>What you take out of your library is kept here, and can be brought back.</p>
      </div>
    )
  }
  return (
    <div class="empty">
      <h2>Nothing here yet</h2>
      <p>Open a free game and press Get: it is kept here, with its newest build and how long you played.</p>
      <a class="button" href="/search">
        Find a game
      </a>
    </div>
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
              <strong>{nameOf(item)}</strong>
            ) : (
              <a href={`/games/${item.game.vanity_name}`}>{nameOf(item)}</a>
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

const CHANGES = {
  accept: 'Accept',
  decline: 'Decline',
  hide: 'Take out of library',
  restore: 'Bring back',
} as const

interface ChangeFormProps {
  item: LibraryItem
  act: keyof typeof CHANGES
  look?: string
}

function ChangeForm({ item, act, look }: ChangeFormProps) {
  return (
    <form method="post" action={`/library/${item.game.uid}`}>
      <Submit {...{ name: 'act', value: act, ...(look !== undefined && { look }) }}>
        {CHANGES[act]}
        <span class="visually-hidden">: {nameOf(item)}</span>
      </Submit>
    </form>
  )
}

function nameOf({ game, removed_at }: LibraryItem): string {
  return game.name ?? (removed_at === null ? 'A hidden title' : 'A removed title')
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
            <strong>{fixedText(notice)}</strong> “{notice.excerpt}”{' '}
            <span class="quiet small">
              {notice.game_name ?? 'A hidden title'}, <Day at={notice.fixed_at} />
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
