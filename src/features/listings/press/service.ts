import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import {
  type Agent,
  type Anonymous,
  type Player,
  seesAdult,
  toPerson,
  type WebsiteUser,
} from '../../../domain/actor.ts'
import { MAIN_APP } from '../../../domain/builds/channels.ts'
import { EMPTY_PRESS_KIT, type PressKitValue } from '../../../domain/listings/press-kit.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import {
  filledText,
  httpsLink,
  optionalList,
  optionalText,
  parseBody,
  type Reader,
  record,
  text,
  textLike,
} from '../../../lib/field-readers.ts'
import { respond } from '../../../lib/respond.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { isEmail } from '../../../lib/text/names.ts'
import { listStableApps } from '../../builds/channels/stable-files.ts'
import { changeGame, type GameRow, markEdited, openGame, openPublicGame } from '../../games/service.ts'
import { listNewestChanges } from '../changelog/service.ts'
import { loadPageImages } from '../images/service.ts'
import { toVideo } from '../videos/service.ts'
import {
  CREDIT_NAME_MAX,
  Factsheet,
  HISTORY_MAX,
  LINE_MAX,
  LIST_MAX,
  type PressKit,
  RELEASE_DATE_MAX,
  TEAM_MAX,
} from './model.ts'
import * as queries from './queries.ts'
import { writePressZip } from './zip.ts'

const CHANGES_SHOWN = 5

type Visitor = Anonymous | Player | WebsiteUser

export async function getPressKit(deps: Deps, user: WebsiteUser | Agent, ref: string): Promise<PressKit> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  return (await queries.findKit(deps.db, game.uid)) ?? EMPTY_PRESS_KIT
}

/** Replaces the whole kit. */
export async function savePressKit(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  body: unknown,
): Promise<PressKit> {
  return await changeGame(deps.db, user, ref, 'edit', async (tx, game) => {
    const kit = parsePressKit(body)
    await queries.replaceKit(tx, game.uid, kit)
    await markEdited(tx, game.uid)
    return kit
  })
}

/** Changes a part of the kit. The caller must have edit permission and hold the lock of the game. */
export async function changePressKit(
  tx: Transaction,
  gameUid: string,
  change: (current: PressKit) => PressKit,
): Promise<void> {
  const current = (await queries.findKit(tx, gameUid)) ?? EMPTY_PRESS_KIT
  await queries.replaceKit(tx, gameUid, change(current))
}

interface PressPage {
  factsheet: Factsheet
  isIndexed: boolean
}

export async function loadPressPage(deps: Deps, visitor: Visitor, ref: string): Promise<PressPage> {
  const game = await openPressGame(deps, visitor, ref)
  return { factsheet: await loadFactsheet(deps, game), isIndexed: isIndexed(game) }
}

interface PressZip {
  filename: string
  /** Reads from the object store lazily. */
  bytes: AsyncGenerator<Uint8Array>
  isIndexed: boolean
}

export async function openPressZip(deps: Deps, visitor: Visitor, ref: string): Promise<PressZip> {
  const game = await openPressGame(deps, visitor, ref)
  const [factsheet, files] = await Promise.all([
    loadFactsheet(deps, game),
    queries.listImageFiles(deps.db, game.uid),
  ])
  return {
    filename: `${game.vanityName}-press.zip`,
    bytes: writePressZip(deps, game, factsheet, files),
    isIndexed: isIndexed(game),
  }
}

/** Press pages are as visible as the listing; adult ones only for players who turned adult content on. */
async function openPressGame(deps: Deps, visitor: Visitor, ref: string): Promise<GameRow> {
  const game = await openPublicGame(deps.db, ref)
  if (game.adult && !seesAdult(visitor)) throw new AppError('not_found')
  return game
}

function isIndexed(game: GameRow): boolean {
  return game.visibility === 'public' && game.indexable
}

async function loadFactsheet(deps: Deps, game: GameRow): Promise<Factsheet> {
  const [facts, images, changelog, apps] = await Promise.all([
    queries.findPressFacts(deps.db, game.uid),
    loadPageImages(deps, game.uid),
    listNewestChanges(deps.db, game.uid, CHANGES_SHOWN),
    listStableApps(deps.db, game.uid),
  ])
  // Deleted since it was opened.
  if (!facts) throw new AppError('not_found')
  const kit = facts.kit ?? EMPTY_PRESS_KIT
  const { baseUrl } = deps.config
  return respond(Factsheet, game, {
    description_html: renderMarkdown(game.description),
    developer: { uid: game.ownerUid, ...toPerson(baseUrl, facts) },
    url: listingUrl(baseUrl, game.vanityName),
    platforms: apps.find(({ app }) => app === MAIN_APP)?.platforms ?? [],
    other_apps: apps.filter(({ app }) => app !== MAIN_APP),
    ...images,
    videos: facts.videos.map((video) => toVideo(baseUrl, video)),
    changelog,
    ...kit,
    website: kit.website || (game.website ?? ''),
    history_html: renderMarkdown(kit.history),
    press_zip_url: `${baseUrl}/api/v1/public/games/${game.vanityName}/press.zip`,
  })
}

const email = textLike('an e-mail address', isEmail)

const KIT: Reader<PressKitValue> = record<PressKitValue>({
  release_date: optionalText(text(RELEASE_DATE_MAX), ''),
  contact_email: optionalText(email, ''),
  website: optionalText(httpsLink, ''),
  trailer_url: optionalText(httpsLink, ''),
  history: optionalText(text(HISTORY_MAX), ''),
  features: optionalList(LIST_MAX, filledText(LINE_MAX)),
  awards: optionalList(LIST_MAX, filledText(LINE_MAX)),
  links: optionalList(LIST_MAX, record({ label: filledText(80), url: httpsLink })),
  quotes: optionalList(
    LIST_MAX,
    record({ text: filledText(500), source: filledText(120), url: optionalText(httpsLink, null) }),
  ),
  team: optionalList(
    TEAM_MAX,
    record({
      name: filledText(CREDIT_NAME_MAX),
      role: optionalText(text(80), null),
      url: optionalText(httpsLink, null),
    }),
  ),
})

/** A complete kit from the body; every error is 4235. */
export function parsePressKit(body: unknown): PressKitValue {
  return parseBody(body, KIT, 'press_kit_invalid')
}
