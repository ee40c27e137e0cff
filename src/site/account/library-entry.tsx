import { savesPath } from '../../domain/site-urls.ts'
import type { OtherFile, SystemFile } from '../../features/builds/channels/stable-files.ts'
import type { InstallableItem } from '../../features/catalog/installs/model.ts'
import type { LibraryItem } from '../../features/community/library/model.ts'
import type { Visit } from '../../http/visit.ts'
import { pathOf } from '../components/card.tsx'
import { Submit } from '../kit/form.tsx'
import { Badge, countText, Day } from '../kit/labels.tsx'
import { adultChoicePath } from '../kit/next.ts'
import { AllDownloads, DownloadFacts, Get, OtherApps } from './library-get.tsx'

/** What the titles of a page can be had as, by game. */
export interface LibraryFiles {
  /** For the visitor's system. */
  files: ReadonlyMap<string, SystemFile>
  /** Of other programs than the games themselves. */
  others: ReadonlyMap<string, readonly OtherFile[]>
  /** Builds of titles whose page is hidden. */
  builds: ReadonlyMap<string, InstallableItem['builds']>
  /** The games that can be played in the browser. */
  playable: ReadonlySet<string>
  /** The games of which the person has saves. */
  saved: ReadonlySet<string>
}

interface EntryProps extends LibraryFiles {
  visit: Visit
  item: LibraryItem
  /** The level of its heading. */
  level: 2 | 3
}

/** A title with its picture, what it is got by, and the rest behind **More**. */
export function Entry({ visit, item, level, files, others, builds, playable, saved }: EntryProps) {
  const { game, play_minutes, beta, removed_at, unavailable } = item
  const file = files.get(game.uid)
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <article class="entry">
      <Cover item={item} />
      <div class="about">
        <Heading dir="auto">
          {game.vanity_name === null ? nameOf(item) : <a href={`/games/${game.vanity_name}`}>{game.name}</a>}
        </Heading>
        <p class="quiet small">
          {playText(play_minutes)}
          {item.last_played_at === null ? null : (
            <>
              , last on <Day at={item.last_played_at} />
            </>
          )}
        </p>
        <p class="badges">
          {file && unavailable === null && isNewSince(file, item) ? (
            <Badge tone="good">{`Updated to ${file.version}`}</Badge>
          ) : null}
          {beta ? <Badge tone="fair">Beta</Badge> : null}
          {unavailable === 'missing' ? <Absence removedAt={removed_at} /> : null}
          {unavailable === null && game.vanity_name === null ? <Badge>Page hidden</Badge> : null}
        </p>
        {unavailable === 'adult' ? (
          <p class="small">
            Turn on <a href={adultChoicePath('/library', true)}>Show adult content</a> in your account to get
            it.
          </p>
        ) : null}
      </div>
      <div class="acts">
        <Get {...{ visit, item, file }} isPlayable={playable.has(game.uid)} />
        <details class="more-acts" name="library-more">
          <summary class="button second">
            More<span class="visually-hidden"> about {nameOf(item)}</span>
          </summary>
          <div class="panel">
            <DownloadFacts {...{ visit, item, file }} />
            <OtherApps item={item} files={others.get(game.uid) ?? []} />
            <AllDownloads item={item} builds={builds.get(game.uid) ?? []} />
            <p class="quiet small">
              In your library since <Day at={item.since} />
            </p>
            {saved.has(game.uid) ? (
              <p>
                <a href={savesPath(game.vanity_name ?? game.uid)}>
                  Saves<span class="visually-hidden"> of {nameOf(item)}</span>
                </a>
              </p>
            ) : null}
            {item.order === null ? null : (
              <p>
                <a href={`/orders/${item.order}`}>
                  Receipt<span class="visually-hidden"> of {nameOf(item)}</span>
                </a>
              </p>
            )}
            <ChangeForm item={item} act={item.hidden ? 'restore' : 'hide'} look="second" />
          </div>
        </details>
      </div>
    </article>
  )
}

function Cover({ item: { game } }: { item: LibraryItem }) {
  if (!game.cover) {
    return (
      <div class="cover no-cover initial" aria-hidden="true">
        {Array.from(game.name ?? '?')[0]}
      </div>
    )
  }
  const { url, width, height } = game.cover
  return (
    <img
      {...{ class: 'cover', src: pathOf(url), width, height, alt: '', loading: 'lazy', decoding: 'async' }}
    />
  )
}

/** Whether the build came after the title was played last, or got if it was not played. */
function isNewSince({ movedAt }: SystemFile, { last_played_at, since }: LibraryItem): boolean {
  return movedAt.toISOString() > (last_played_at ?? since)
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

export function ChangeForm({ item, act, look }: ChangeFormProps) {
  return (
    <form method="post" action={`/library/${item.game.uid}`}>
      <Submit {...{ name: 'act', value: act, ...(look !== undefined && { look }) }}>
        {CHANGES[act]}
        <span class="visually-hidden">: {nameOf(item)}</span>
      </Submit>
    </form>
  )
}

export function nameOf({ game, removed_at }: LibraryItem): string {
  return game.name ?? (removed_at === null ? 'A hidden title' : 'A removed title')
}
