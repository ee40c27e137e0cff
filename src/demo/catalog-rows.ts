import type { DependencyKind } from '../domain/listings/listing.ts'
import { EMPTY_PRESS_KIT } from '../domain/listings/press-kit.ts'
import { createRandom } from '../lib/random.ts'
import { DAY_MS } from '../lib/utc-days.ts'
import { ADMINS, HIDDEN_TAGS, REVIEWS, SUGGESTED_TAGS } from './community-data.ts'
import type { DemoListing } from './listing-data.ts'
import { PLAYER_NAMES } from './people.ts'
import type { CommunityRows, GameValues } from './queries.ts'
import { uidAt } from './uids.ts'
import { webPlayerOf } from './web/games.ts'

/** The minimum play time of players who suggest tags. */
const FANS_MINUTES = 75

/** The data from the database that the rows of a listing need. */
export interface Known {
  now: Date
  uidOf(vanityName: string): string
  personOf(name: string): string
}

export function gameRow(listing: DemoListing, known: Known): GameValues {
  const { vanityName, parent, players, visibility = 'public', status = 'released' } = listing
  const publishedAt = daysBefore(known.now, listing.daysAgo)
  const createdAt = daysBefore(publishedAt, 30)
  const isPublic = visibility === 'public'
  return {
    uid: known.uidOf(vanityName),
    ownerUid: known.personOf(listing.by),
    assetType: listing.assetType,
    visibility,
    name: listing.name,
    vanityName,
    tagline: listing.tagline,
    description: listing.description.trim(),
    status,
    website: listing.website ?? null,
    adult: listing.adult ?? false,
    indexable: listing.indexable ?? true,
    priceCents: listing.priceCents ?? 0,
    anonymousDownloads: listing.anonymousDownloads ?? false,
    licenseKind: listing.licenseKind ?? null,
    genres: [...(listing.genres ?? [])],
    tags: [...listing.tags],
    tone: [...(listing.tone ?? [])],
    inputs: [...(listing.inputs ?? [])],
    contentWarnings: [...(listing.contentWarnings ?? [])],
    engines: [...(listing.engines ?? [])],
    sessionBucket: listing.sessionBucket ?? null,
    net: listing.net ?? null,
    playersMin: players?.[0] ?? null,
    playersMax: players?.[1] ?? null,
    authorship: listing.authorship ?? null,
    authorshipCredit: listing.authorshipCredit ?? null,
    aiUses: [...(listing.aiUses ?? [])],
    parentUid: typeof parent === 'string' ? known.uidOf(parent) : null,
    parentExternalName: typeof parent === 'object' ? parent.name : null,
    parentExternalUrl: typeof parent === 'object' ? parent.url : null,
    modSettings: listing.modSettings ?? null,
    webPlayer: webPlayerOf(vanityName),
    engineCompat: [...(listing.engineCompat ?? [])],
    storeLinks: [...(listing.storeLinks ?? [])],
    createdAt,
    updatedAt: daysBefore(
      known.now,
      Math.min(
        listing.daysAgo,
        ...[...(listing.changelog ?? []), listing.release ?? []].flat().map((entry) => entry.daysAgo),
      ),
    ),
    publishedAt: isPublic ? publishedAt : null,
    publicSince: isPublic ? publishedAt : null,
  }
}

/** Builds all rows that depend on these listings. */
export function communityRows(listings: readonly DemoListing[], known: Known): CommunityRows {
  const pages = listings.map((listing) => pageRows(listing, known))
  const players = listings.map((listing) => playerRows(listing, known))
  return {
    editions: pages.flatMap((page) => page.editions),
    changelogEntries: pages.flatMap((page) => page.changelogEntries),
    pressKits: pages.flatMap((page) => page.pressKits),
    gameDependencies: pages.flatMap((page) => page.gameDependencies),
    gameSimilarTitles: pages.flatMap((page) => page.gameSimilarTitles),
    gameAdmins: pages.flatMap((page) => page.gameAdmins),
    licenses: players.flatMap((player) => player.licenses),
    playTimes: players.flatMap((player) => player.playTimes),
    reviews: players.flatMap((player) => player.reviews),
    tagSuggestions: players.flatMap((player) => player.tagSuggestions),
    hiddenTags: players.flatMap((player) => player.hiddenTags),
  }
}

function pageRows(listing: DemoListing, { now, uidOf, personOf }: Known) {
  const gameUid = uidOf(listing.vanityName)
  const published = daysBefore(now, listing.daysAgo)
  const dependencies = (kind: DependencyKind, names: readonly string[] = []) =>
    names.map((name) => ({ gameUid, kind, targetUid: uidOf(name) }))
  return {
    editions: (listing.editions ?? []).map(({ name, priceCents, active = true }) => {
      return { uid: uidAt(published), gameUid, name, priceCents, active, createdAt: published }
    }),
    changelogEntries: (listing.changelog ?? []).map(({ title, body, version, daysAgo }) => {
      const createdAt = daysBefore(now, daysAgo)
      return { uid: uidAt(createdAt), gameUid, title, body, version, createdAt }
    }),
    pressKits: listing.press
      ? [{ gameUid, kit: { ...EMPTY_PRESS_KIT, ...listing.press }, updatedAt: published }]
      : [],
    gameDependencies: [
      ...dependencies('uses', listing.uses),
      ...dependencies('supports', listing.supports),
      ...dependencies('made_with', listing.madeWith),
    ].map((row, position) => ({ ...row, position })),
    gameSimilarTitles: (listing.similar ?? []).map((name, position) => ({
      gameUid,
      similarUid: uidOf(name),
      position,
    })),
    gameAdmins: (ADMINS[listing.vanityName] ?? []).map(({ who, accepted }) => ({
      uid: uidAt(published),
      gameUid,
      userUid: personOf(who),
      createdAt: published,
      acceptedAt: accepted ? published : null,
    })),
  }
}

/** Everyone who reviewed or suggested a tag has a licence and play time. */
function playerRows(
  { vanityName, name, priceCents = 0, daysAgo }: DemoListing,
  { now, uidOf, personOf }: Known,
) {
  const gameUid = uidOf(vanityName)
  const reviews = REVIEWS[vanityName] ?? []
  const random = createRandom(vanityName)
  const suggestions = Object.entries(SUGGESTED_TAGS[vanityName] ?? {}).flatMap(([tag, votes]) =>
    random.draw(PLAYER_NAMES, votes).map((name) => ({ gameUid, userUid: personOf(name), tag })),
  )
  const minutes = new Map([
    ...suggestions.map(({ userUid }) => [userUid, FANS_MINUTES + random.below(2000)] as const),
    ...reviews.map((review) => [personOf(review.by), review.minutes] as const),
  ])
  return {
    licenses: [...minutes.keys()].map((userUid) => ({
      userUid,
      gameUid,
      gameName: name,
      source: priceCents === 0 ? ('claimed' as const) : ('granted' as const),
      beta: random.chance(0.2),
      createdAt: daysBefore(now, daysAgo),
    })),
    playTimes: [...minutes].map(([userUid, played]) => ({ userUid, gameUid, seconds: played * 60 })),
    reviews: reviews.map((review) => {
      const createdAt = daysBefore(now, review.daysAgo)
      const { rating, text } = review
      return {
        uid: uidAt(createdAt),
        gameUid,
        userUid: personOf(review.by),
        rating,
        text,
        createdAt,
        updatedAt: createdAt,
      }
    }),
    tagSuggestions: suggestions,
    hiddenTags: (HIDDEN_TAGS[vanityName] ?? []).map((tag) => ({ gameUid, tag })),
  }
}

export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS)
}
