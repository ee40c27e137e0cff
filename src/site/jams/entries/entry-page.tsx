import { entryPlayPath, jamPath } from '../../../domain/site-urls.ts'
import type { OpenedEntry } from '../../../features/jams/entries/list.ts'
import type { EntryFile } from '../../../features/jams/entries/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { pathOf } from '../../components/card.tsx'
import { DownloadIcon, PlayIcon } from '../../components/icons.tsx'
import { Notice } from '../../components/notice.tsx'
import { Person } from '../../components/person.tsx'
import { Prose } from '../../components/prose.tsx'
import { Badge, bytesText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { JamFrame, type ShownJam } from '../jam-frame.tsx'

interface EntryPageProps {
  visit: Visit
  shown: ShownJam
  opened: OpenedEntry
}

/** One entry inside the jam: what it is, and the version that people play here. */
export function EntryPage({ visit, shown, opened: { entry, html, isOpen: hasPage } }: EntryPageProps) {
  const { game, note, disqualified, late, isPlayed } = entry
  const { slug, title } = shown.jam
  return (
    <JamFrame {...{ visit, shown, tab: 'Entries' }} title={`${game.name} · ${title}`}>
      <p class="small">
        <a href={jamPath(slug, 'entries')}>All entries</a>
      </p>
      <div class="row">
        <h1 dir="auto">{game.name}</h1>
        {isPlayed ? <Badge tone="good">Played</Badge> : null}
        {late ? <Badge tone="none">Late</Badge> : null}
      </div>
      <Person person={game.developer} isLink={hasPage} />
      {disqualified === null ? null : (
        <Notice tone="warn">
          <strong>Not ranked.</strong> <bdi>{disqualified}</bdi>
        </Notice>
      )}
      <div class="jam-columns">
        <div class="stack">
          {game.cover === null ? null : (
            <img
              class="jam-entry-cover"
              src={pathOf(game.cover.url)}
              width={game.cover.width}
              height={game.cover.height}
              alt=""
            />
          )}
          <p class="lead" dir="auto">
            {game.tagline}
          </p>
          {html === '' ? null : <Prose html={html} under={1} />}
        </div>
        <div class="jam-side">
          <Version {...{ shown, entry, hasPage }} />
          {note === '' ? null : (
            <section class="panel" aria-labelledby="note">
              <h2 id="note">Note for voters</h2>
              <p class="as-typed" dir="auto">
                {note}
              </p>
            </section>
          )}
        </div>
      </div>
    </JamFrame>
  )
}

interface VersionProps {
  shown: ShownJam
  entry: OpenedEntry['entry']
  hasPage: boolean
}

function Version({ shown: { jam }, entry: { game, build, files }, hasPage }: VersionProps) {
  return (
    <section class="panel stack" aria-labelledby="version">
      <h2 id="version">{build === null ? 'Play it' : `The version of the jam: ${build.version}`}</h2>
      {build === null ? (
        <p class="quiet small">
          The version of the jam is fixed after its end.{' '}
          {hasPage ? <a href={`/games/${game.vanity_name}`}>Its page has what is released now.</a> : null}
        </p>
      ) : (
        <>
          {files.some(({ playable }) => playable) ? (
            <a class="button wide" href={entryPlayPath(jam.slug, game.vanity_name)}>
              <PlayIcon />
              <span>
                Play<span class="visually-hidden"> {game.name}</span> in the browser
              </span>
            </a>
          ) : null}
          <ul class="jam-files">
            {files.map((file) => (
              // Without script nobody can play here for a minute, so the files themselves open the rating.
              <li key={file.file_uid} class={file.playable ? 'without-script' : undefined}>
                <Download {...{ file, vanityName: game.vanity_name }} />
              </li>
            ))}
          </ul>
          {hasPage ? (
            <p class="quiet small">
              Its developers may have gone on: <a href={`/games/${game.vanity_name}`}>the page of the game</a>{' '}
              has the newest version.
            </p>
          ) : null}
        </>
      )}
    </section>
  )
}

function Download({ file, vanityName }: { file: EntryFile; vanityName: string }) {
  return (
    <div>
      <a
        class="button second wide"
        href={`/games/${vanityName}/files/${file.file_uid}/download`}
        rel="nofollow"
      >
        <DownloadIcon />
        <span>
          Download <span class="visually-hidden">{file.version} </span>for {SYSTEM_LABELS[file.os]}
        </span>
      </a>
      <p class="quiet small row">
        <span>{file.version}</span>
        <span>{bytesText(file.size)}</span>
        {file.os === 'web' ? null : <span>{file.arch}</span>}
      </p>
    </div>
  )
}
