import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { normalizeSlug, parseSlugs } from '../../../domain/listings/slugs.ts'
import { AppError } from '../../../errors.ts'
import { type Page, paged } from '../../../lib/paging.ts'
import { plural, show } from '../../../lib/text/show.ts'
import { changeGame, markEdited, notifyChange, openGame } from '../../games/service.ts'
import { loadPlayMinutes, lockLicense } from '../library/service.ts'
import {
  type CommunityTag,
  type SuggestedTag,
  type SuggestedTagPage,
  type Suggestions,
  SUGGESTIONS_MAX,
} from './model.ts'
import * as queries from './queries.ts'

export async function loadSuggestions(db: Db, user: WebsiteUser, ref: string): Promise<Suggestions> {
  const { game } = await openGame(db, user, ref, 'see')
  return await loadOwnSuggestions(db, user.userUid, game.uid)
}

/** Replaces the player's own suggestions; an empty list removes them. */
export async function suggestTags(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  texts: readonly string[],
): Promise<Suggestions> {
  const { userUid } = user
  return await deps.db.transaction(async (tx) => {
    const { game } = await openGame(tx, user, ref, 'see')
    await lockLicense(tx, userUid, game.uid)
    requirePlayTime(await loadPlayMinutes(tx, userUid, game.uid), deps.config.tagMinPlayMinutes)
    const tags = parseSlugs('tags', texts, SUGGESTIONS_MAX)
    await queries.deleteOwn(tx, userUid, game.uid)
    if (tags.length > 0) await queries.insertOwn(tx, userUid, game.uid, tags)
    await notifyChange(tx, game.uid)
    return await loadOwnSuggestions(tx, userUid, game.uid)
  })
}

export async function listSuggestedTags(
  db: Db,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<SuggestedTagPage> {
  const { game } = await openGame(db, user, ref, 'edit')
  const [items, total] = await Promise.all([
    queries.listSuggested(db, game.uid, page),
    queries.countSuggested(db, game.uid),
  ])
  return paged(page, [...items], total)
}

export async function loadSuggestedTag(
  db: Db,
  user: WebsiteUser,
  ref: string,
  tag: string,
): Promise<SuggestedTag> {
  const { game } = await openGame(db, user, ref, 'edit')
  return await requireSuggested(db, game.uid, normalizeSlug(tag))
}

/** Hiding keeps the votes; a hidden tag can be shown again even without votes. */
export async function setTagHidden(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  text: string,
  hidden: boolean,
): Promise<SuggestedTag> {
  const tag = normalizeSlug(text)
  return await changeGame(deps.db, user, ref, 'edit', async (tx, game) => {
    await requireSuggested(tx, game.uid, tag)
    await (hidden ? queries.hideTag(tx, game.uid, tag) : queries.unhideTag(tx, game.uid, tag))
    await markEdited(tx, game.uid)
    const changed = await queries.findSuggested(tx, game.uid, tag)
    return changed ?? { tag, votes: 0, hidden: false, shown: false }
  })
}

/** The tags on the page of one listing. */
export async function listShownTags(db: Db, game: { uid: string }): Promise<CommunityTag[]> {
  return (await listShownTagsOf(db, [game.uid])).get(game.uid) ?? []
}

/** The tags on the cards of many listings, by uid; listings without tags are omitted. */
export async function listShownTagsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<Map<string, CommunityTag[]>> {
  const rows = gameUids.length === 0 ? [] : await queries.listShown(db, gameUids)
  return new Map(rows.map(({ gameUid, communityTags }) => [gameUid, communityTags]))
}

async function requireSuggested(db: Db, gameUid: string, tag: string): Promise<SuggestedTag> {
  const found = await queries.findSuggested(db, gameUid, tag)
  if (!found) throw new AppError('not_found', { message: `Nobody has suggested the tag ${show(tag)}.` })
  return found
}

function requirePlayTime(played: number, needed: number): void {
  if (played >= needed) return
  const missing = needed - played
  throw new AppError('forbidden', {
    message: `You need ${plural(needed, 'minute')} of play time to suggest tags. Play ${missing} more.`,
  })
}

async function loadOwnSuggestions(db: Db, userUid: string, gameUid: string): Promise<Suggestions> {
  const [tags, community_tags] = await Promise.all([
    queries.listOwn(db, userUid, gameUid),
    listShownTags(db, { uid: gameUid }),
  ])
  return { tags, community_tags }
}
