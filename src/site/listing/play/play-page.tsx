import { JAM_BEAT_SECONDS } from '../../../domain/jams/entries.ts'
import { PLAY_FEATURES } from '../../../domain/play-origins.ts'
import { entryPath, savesPath } from '../../../domain/site-urls.ts'
import type { AppError } from '../../../errors.ts'
import { nameBrowser } from '../../../features/accounts/sessions/session-list.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Image } from '../../../features/listings/images/model.ts'
import type { PlayView } from '../../../features/play/visits/service.ts'
import type { SaveChoice } from '../../../features/saves/access/model.ts'
import { nameAccount } from '../../../features/saves/access/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { pathOf } from '../../components/card.tsx'
import { AgainIcon, ExpandIcon, PlayIcon } from '../../components/icons.tsx'
import { Notice } from '../../components/notice.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { SelectField, Submit } from '../../kit/form.tsx'
import { bytesText } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import { adultChoicePath } from '../../kit/next.ts'
import { signInPath } from '../../kit/pages.ts'
import type { PlaySaves } from './play-saves.ts'

/** Allows neither pop-ups nor navigation of the top window. */
const SANDBOX = [
  'allow-scripts',
  'allow-same-origin',
  'allow-pointer-lock',
  'allow-forms',
  'allow-modals',
  'allow-downloads',
  'allow-orientation-lock',
].join(' ')

const FEATURES = ['cross-origin-isolated', ...PLAY_FEATURES].join('; ')

interface PlayPageProps {
  visit: Visit
  play: PlayView
  cover: Image | null
  /** What the player decided about saves; null for guests, and for games that keep none. */
  saves: SaveChoice | null
}

export function PlayPage({ visit, play, cover, saves }: PlayPageProps) {
  const { game, build, channels } = play
  const isTrial = visit.url.searchParams.has('build')
  return (
    <Layout
      visit={visit}
      title={`Play ${game.name}`}
      scripts={['play']}
      preload={cover === null ? undefined : pathOf(cover.url)}
    >
      {isTrial ? (
        <div class="notices">
          <Notice tone="info">
            You are trying version {build.version}. Only the makers of this project can open it here.{' '}
            <a href={`/studio/${game.vanityName}/builds`}>Back to the builds</a>
          </Notice>
        </div>
      ) : null}
      <Player {...{ visit, play, cover, saves }} />
      {saves === null ? null : <SavesLine {...{ play, saves }} />}
      {channels.length > 1 && !isTrial ? <ChannelForm play={play} /> : null}
    </Layout>
  )
}

function Player({ visit, play, cover, saves }: PlayPageProps) {
  const { game, player, build, channel, channels } = play
  const { width, height, autostart } = player
  const countsTime = play.hasLicense || (play.jam !== null && visit.actor.kind === 'user')
  return (
    <div
      class="player"
      data-player
      data-url={play.url}
      data-seconds={play.expiresAt === null ? undefined : secondsUntil(play.expiresAt)}
      data-autostart={autostart ? '' : undefined}
      data-heartbeat={countsTime ? `/api/v1/private/games/${game.uid}/play/heartbeat` : undefined}
      data-saves={savesFor({ visit, play, saves })}
      data-jam={play.jam?.slug}
      data-beat={play.jam === null ? undefined : JAM_BEAT_SECONDS}
    >
      <div class="player-bar">
        <a
          class="button second"
          href={play.jam === null ? `/games/${game.vanityName}` : entryPath(play.jam.slug, game.vanityName)}
        >
          Leave
        </a>
        <div class="player-title">
          <h1 dir="auto">{game.name}</h1>
          <p class="quiet small">
            Version {build.version}
            {channels.length > 1 ? ` from ${channel}` : ''}
            {play.jam === null ? null : (
              <>
                {' '}
                of <bdi>{play.jam.title}</bdi>
              </>
            )}
          </p>
        </div>
        <button type="button" class="button second with-script" data-restart hidden>
          <AgainIcon />
          Restart
        </button>
        <button type="button" class="button second with-script" data-fullscreen>
          <ExpandIcon />
          Full screen
        </button>
        <p class="notice bad" role="alert" hidden data-fault>
          The game could not be started. Check your connection, then try again.
        </p>
        <SaveNotes page={savesPath(game.vanityName)} />
      </div>
      <div class="player-stage">
        {/* An empty canvas sets size and ratio by its attributes; a style sheet cannot know them. */}
        <canvas {...{ width, height }} aria-hidden="true" />
        <div class="player-cover">
          {cover === null ? null : (
            <img
              src={pathOf(cover.url)}
              width={cover.width}
              height={cover.height}
              alt=""
              fetchpriority="high"
            />
          )}
          <Start visit={visit} play={play} />
        </div>
        <iframe title={game.name} sandbox={SANDBOX} allow={FEATURES} hidden />
      </div>
    </div>
  )
}

/** For the script, which gives the game what it needs; undefined for guests. */
function savesFor({ visit, play: { game }, saves }: Omit<PlayPageProps, 'cover'>): string | undefined {
  const { actor, request } = visit
  if (actor.kind !== 'user') return undefined
  const facts: PlaySaves = {
    path: `/api/v1/private/games/${game.uid}/saves`,
    game: game.name,
    allowed: saves?.enabled ? saves.allowed : false,
    account: nameAccount({ userUid: actor.userUid, gameUid: game.uid }),
    player: { name: actor.displayName || actor.username, picture: actor.picture },
    device: nameBrowser(request.headers.get('user-agent') ?? ''),
  }
  return JSON.stringify(facts)
}

/** What may become of saves while the game runs; the script shows one. */
function SaveNotes({ page }: { page: string }) {
  return (
    <div class="save-notes" role="status">
      <p class="notice" hidden data-saves-note="away">
        Your saves are in this browser, and are sent as soon as the store can be reached.
      </p>
      <p class="notice bad" hidden data-saves-note="unkept">
        Your newest saves are not sent yet, and this browser does not keep them. Leave this page open until
        the store can be reached.
      </p>
      <p class="notice bad" hidden data-saves-note="full">
        <span>
          There is no room for new saves in your account. They wait in this browser.{' '}
          <a href={page}>Make room</a>
        </span>
      </p>
      <p class="notice" hidden data-saves-note="ended">
        From now on this game keeps its saves in this browser only.
      </p>
    </div>
  )
}

/** Where a player changes what they decided. */
function SavesLine({ play: { game }, saves }: { play: PlayView; saves: SaveChoice }) {
  if (!saves.enabled) return null
  const isAllowed = saves.allowed === true
  return (
    <p class="quiet small center player-saves">
      This game keeps its saves{' '}
      <span data-saves-place="account" hidden={!isAllowed}>
        in your account
      </span>
      <span data-saves-place="browser" hidden={isAllowed}>
        in this browser
      </span>
      . <a href={savesPath(game.vanityName)}>Your saves</a>
    </p>
  )
}

/** A relative time, because the visitor's clock may be wrong. */
function secondsUntil(moment: Date): number {
  return Math.floor((moment.getTime() - Date.now()) / 1000)
}

function Start({ visit, play }: Pick<PlayPageProps, 'visit' | 'play'>) {
  const { game, player, build, expiresAt, url } = play
  const open = expiresAt === null ? url : `/games/${game.vanityName}/play/open${visit.url.search}`
  return (
    <div class="player-start">
      <p class="row">
        <button type="button" class="button with-script" data-start>
          <PlayIcon />
          Start
        </button>
        <a class="button without-script" href={open} rel="nofollow">
          Open the game
        </a>
        <span>{bytesText(build.bytes)} to load</span>
      </p>
      {player.mobile ? null : (
        <p class="phone-only">It was not made for phones: parts may not work here. You can still try it.</p>
      )}
    </div>
  )
}

function ChannelForm({ play: { channels, channel } }: { play: PlayView }) {
  return (
    <form class="player-channel" method="get">
      <SelectField
        form={EMPTY_FORM}
        name="channel"
        label="Channel"
        value={channel}
        options={channels.map((name) => [name, name] as const)}
      />
      <Submit look="second">Switch</Submit>
    </form>
  )
}

interface RefusedPageProps {
  visit: Visit
  game: Pick<GameRow, 'name' | 'vanityName' | 'adult'>
  error: AppError
}

/** Says why the game cannot be played, and leads to where that can be changed. */
export function RefusedPage({ visit, game, error }: RefusedPageProps) {
  const [href, label] = wayOut({ visit, game, error }) ?? []
  const page = `/games/${game.vanityName}`
  return (
    <Layout visit={visit} title={`Play ${game.name}`}>
      <div class="empty">
        <h1>
          <bdi>{game.name}</bdi> cannot be played here yet
        </h1>
        <p role="alert" dir="auto">
          {error.message}
        </p>
        <p class="row center">
          {href === undefined ? null : (
            <a class="button" href={href}>
              {label}
            </a>
          )}
          <a class={href === undefined ? 'button' : 'button second'} href={page}>
            To the page of the game
          </a>
        </p>
      </div>
    </Layout>
  )
}

function wayOut({ visit, game, error }: RefusedPageProps): [href: string, label: string] | null {
  const { actor, url } = visit
  if (error.kind === 'sign_in_to_download') return [signInPath(visit), 'Sign in']
  if (error.kind === 'still_scanning') return [url.pathname + url.search, 'Try again']
  if (game.adult && actor.kind === 'user' && !actor.adultContent)
    return [adultChoicePath(url.pathname + url.search, true), 'Open your account']
  return null
}
