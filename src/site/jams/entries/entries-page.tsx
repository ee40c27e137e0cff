import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { entryPath, entryPlayPath, jamPath } from '../../../domain/site-urls.ts'
import type { FoundEntries, MarkedEntry } from '../../../features/jams/entries/list.ts'
import { ENTRY_TEXT_MAX } from '../../../features/jams/entries/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Page } from '../../../lib/paging.ts'
import { pathOf } from '../../components/card.tsx'
import { PlayIcon, SYSTEM_ICONS } from '../../components/icons.tsx'
import { Empty, Pager } from '../../components/lists.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { SelectField, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { JamFrame, type ShownJam } from '../jam-frame.tsx'

const NOTICES = {
  entered:
    'It is entered. Public listings are shown here at once, drafts when the jam ends. Its tab Jams in the studio changes the note and withdraws it.',
}

interface EntriesPageProps {
  visit: Visit
  shown: ShownJam
  found: FoundEntries
  page: Page
  /** What was asked for, as it was sent. */
  query: Readonly<Record<string, string | undefined>>
}

/** The entries of a jam, each with a way to play its version. */
export function EntriesPage({ visit, shown, found, page, query }: EntriesPageProps) {
  const { jam } = shown
  const { items, total } = found
  const isFiltered = [query.q, query.os, query.played].some(Boolean)
  return (
    <JamFrame
      {...{ visit, shown, tab: 'Entries', notices: NOTICES }}
      canonical={`${jam.url}/entries`}
      isIndexed={jam.visibility === 'public' && visit.url.search === ''}
    >
      <div class="row between">
        <h1>Entries</h1>
        {jam.state === 'running' ? (
          <a class="button" href={`${jamPath(jam.slug)}/enter`}>
            Enter a listing
          </a>
        ) : null}
      </div>
      <FilterForm {...{ visit, shown, query }} />
      <p class="quiet" role="status">
        {countText(total, 'entry', 'entries')}
      </p>
      {total === 0 ? (
        <Empty title={isFiltered ? 'No entry fits' : 'Nothing here yet'}>
          {isFiltered
            ? 'Leave out a word, or choose another platform.'
            : 'Public listings appear here as soon as they are entered, drafts when the jam ends.'}
        </Empty>
      ) : null}
      {total > 0 && items.length === 0 ? <p class="quiet">The list ends before this page.</p> : null}
      {items.length === 0 ? null : <h2 class="visually-hidden">The list</h2>}
      <ul class="cards">
        {items.map((entry) => (
          <li key={entry.game.uid}>
            <EntryCard {...{ shown, entry }} />
          </li>
        ))}
      </ul>
      <Pager {...{ ...page, total }} url={visit.url} />
    </JamFrame>
  )
}

const SORTS = [
  ['newest', 'Newest'],
  ['random', 'Random, the same all day'],
  ['most_rated', 'Most rated'],
  ['least_rated', 'Least rated'],
] as const
const SYSTEMS = [
  ['', 'Any platform'],
  ...OPERATING_SYSTEMS.map((os) => [os, SYSTEM_LABELS[os]] as const),
] as const
const PLAYED = [
  ['', 'All'],
  ['played', 'Played'],
  ['not_yet', 'Not yet'],
] as const

function FilterForm({ visit, shown, query }: Pick<EntriesPageProps, 'visit' | 'shown' | 'query'>) {
  const field = { form: EMPTY_FORM }
  return (
    <form class="jam-filters" method="get" action={jamPath(shown.jam.slug, 'entries')} role="search">
      <TextField
        {...{ ...field, name: 'q', label: 'Search', type: 'search', value: query.q ?? '' }}
        maxLength={ENTRY_TEXT_MAX}
      />
      <SelectField
        {...{ ...field, name: 'os', label: 'Platform', value: query.os ?? '', options: SYSTEMS }}
      />
      <SelectField
        {...{ ...field, name: 'sort', label: 'Order', value: query.sort ?? 'newest', options: SORTS }}
      />
      {visit.actor.kind === 'user' ? (
        <SelectField
          {...{
            ...field,
            name: 'played',
            label: 'You played it',
            value: query.played ?? '',
            options: PLAYED,
          }}
        />
      ) : null}
      <Submit>Show</Submit>
    </form>
  )
}

function EntryCard({ shown: { jam }, entry }: { shown: ShownJam; entry: MarkedEntry }) {
  const { game, files, disqualified, isPlayed, note } = entry
  const picture = game.thumbnail ?? game.cover
  const path = entryPath(jam.slug, game.vanity_name)
  return (
    <article class="card">
      {picture === null ? (
        <div class="cover no-cover initial" aria-hidden="true">
          {Array.from(game.name)[0]}
        </div>
      ) : (
        <img
          class="cover"
          src={pathOf(picture.url)}
          width={picture.width}
          height={picture.height}
          alt=""
          loading="lazy"
          decoding="async"
        />
      )}
      <div class="body">
        <h3>
          <a href={path} dir="auto">
            {game.name}
          </a>
        </h3>
        <p class="maker" dir="auto">
          {game.developer.display_name}
        </p>
        <p class="facts" dir="auto">
          {game.tagline || note}
        </p>
        {disqualified === null && !isPlayed ? null : (
          <p class="row">
            {disqualified === null ? null : <Badge tone="bad">Disqualified</Badge>}
            {isPlayed ? <Badge tone="good">Played</Badge> : null}
          </p>
        )}
        <EntrySystems entry={entry} />
        {files.some(({ playable }) => playable) ? (
          <a class="play-link" href={entryPlayPath(jam.slug, game.vanity_name)}>
            <PlayIcon />
            <span>Play in browser</span>
            <span class="visually-hidden">: {game.name}</span>
          </a>
        ) : null}
      </div>
    </article>
  )
}

function EntrySystems({ entry: { files, game } }: { entry: MarkedEntry }) {
  const systems = files.length > 0 ? [...new Set(files.map(({ os }) => os))] : game.platforms
  if (systems.length === 0) return null
  return (
    <ul class="systems" aria-label="Platforms">
      {systems.map((os) => {
        const SystemIcon = SYSTEM_ICONS[os]
        return (
          <li key={os}>
            <SystemIcon />
            <span class="visually-hidden">{SYSTEM_LABELS[os]}</span>
          </li>
        )
      })}
    </ul>
  )
}
