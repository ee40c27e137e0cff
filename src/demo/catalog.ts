import type { Transaction } from '../db/client.ts'
import { notify } from '../db/notify/notify.ts'
import type { Deps } from '../deps.ts'
import { PERSON_IMAGES, type PersonImage } from '../domain/actor.ts'
import type { DependencyKind } from '../domain/listings/listing.ts'
import { EMPTY_PRESS_KIT } from '../domain/listings/press-kit.ts'
import { ALL_GAMES, GAME_CHANGED, notifyChange } from '../features/games/service.ts'
import { type ProcessedImage, processImage } from '../features/listings/images/process.ts'
import { claimObject, storeImage } from '../features/listings/images/service.ts'
import { storeKnownVideo } from '../features/listings/videos/service.ts'
import { PERSON_BOXES } from '../features/people/pictures/service.ts'
import { createRandom } from '../lib/random.ts'
import { DEMO_LISTINGS, DEMO_NAMES, type DemoListing, DEVELOPERS, PLAYER_NAMES, PLAYERS } from './data.ts'
import { loadPictures, openPicture, openVideo, type PagePictures } from './pictures.ts'
import * as queries from './queries.ts'
import { type CommunityRows, daysBefore, type GameValues, insertProfile, uidAt } from './queries.ts'
import { webPlayerOf } from './web/games.ts'

/** The minimum play time of players who suggest tags. */
const FANS_MINUTES = 75

/** The columns that a listing may leave out. */
const PAGE_DEFAULTS = {
  status: 'released',
  website: null,
  adult: false,
  indexable: true,
  priceCents: 0,
  anonymousDownloads: false,
  licenseKind: null,
  genres: [],
  tone: [],
  inputs: [],
  contentWarnings: [],
  engines: [],
  sessionBucket: null,
  net: null,
  authorship: null,
  authorshipCredit: null,
  aiUses: [],
  accessibility: [],
  languages: [],
  requirements: {},
  modSettings: null,
  engineCompat: [],
  storeLinks: [],
} as const satisfies Partial<GameValues>

/** The data from the database that the rows of a listing need. */
interface Known {
  now: Date
  uidOf(vanityName: string): string
  personOf(name: string): string
}

/**
 * Adds a small, varied catalog. Can be run again to add missing listings. Returns the number of new listings.
 * Pictures are encoded before the transaction that writes all rows.
 */
export async function loadDemoCatalog(deps: Deps): Promise<number> {
  const wanted = missingIn(await queries.findNamed(deps.db, DEMO_NAMES))
  if (wanted.length === 0) return 0
  const pictures = await loadPictures(wanted)
  const faces = await loadProfilePictures()
  return await deps.db.transaction(async (tx) => {
    await queries.lockDemo(tx)
    const named = await queries.findNamed(tx, DEMO_NAMES)
    const missing = missingIn(named).filter(({ vanityName }) => pictures.has(vanityName))
    const known = await know(tx, named)
    const rows = missing.map((listing) => gameRow(listing, known))
    // Inserted as drafts, so that pages become visible only with their pictures.
    await queries.insertGames(
      tx,
      rows.map((row) => ({ ...row, visibility: 'draft' as const })),
    )
    for (const listing of missing) await attachImages(deps, tx, listing, known, pictures)
    for (const listing of missing) await attachTrailer(deps, tx, listing, known)
    await queries.insertCommunity(
      tx,
      missing.map((listing) => communityRows(listing, known)),
    )
    await attachProfiles(deps, tx, faces, known)
    await queries.finishGames(tx, rows)
    await notify(tx, GAME_CHANGED, ALL_GAMES)
    for (const { vanityName } of missing) await notifyChange(tx, known.uidOf(vanityName))
    return missing.length
  })
}

function missingIn(named: ReadonlyMap<string, string>): DemoListing[] {
  return DEMO_LISTINGS.filter(({ vanityName }) => !named.has(vanityName))
}

async function know(tx: Transaction, named: ReadonlyMap<string, string>): Promise<Known> {
  const now = new Date()
  const people = Object.entries({ ...DEVELOPERS, ...PLAYERS })
  await queries.insertPeople(
    tx,
    people.map(([username, { name, email }]) => ({
      id: uidAt(now),
      name,
      email,
      emailVerified: true,
      username,
      developerMode: username in DEVELOPERS,
    })),
  )
  const uids = await queries.findPeople(
    tx,
    people.map(([, { email }]) => email),
  )
  await queries.nameUnnamed(
    tx,
    people.map(([, { name, email }]) => ({ name, email })),
  )
  const persons = new Map(people.map(([name, { email }]) => [name, uids.get(email)]))
  const pages = new Map(
    DEMO_LISTINGS.map(({ vanityName, daysAgo }) => [
      vanityName,
      named.get(vanityName) ?? uidAt(daysBefore(now, daysAgo)),
    ]),
  )
  return {
    now,
    uidOf: (name) => pages.get(name) ?? fail(`No demo listing is called ${name}`),
    personOf: (name) => persons.get(name) ?? fail(`There is no demo account for ${name}`),
  }
}

async function attachImages(
  deps: Deps,
  tx: Transaction,
  { vanityName }: DemoListing,
  known: Known,
  pictures: ReadonlyMap<string, PagePictures>,
): Promise<void> {
  const { cover, thumbnail, gallery } = pictures.get(vanityName) ?? fail(`${vanityName} has no pictures`)
  const page = { uid: known.uidOf(vanityName), visibility: 'draft' as const }
  await storeImage(deps, tx, page, 'cover', cover)
  await storeImage(deps, tx, page, 'thumbnail', thumbnail)
  for (const picture of gallery) await storeImage(deps, tx, page, 'gallery', picture)
}

/** Stored again by each load: a file that got no row is swept. */
async function attachTrailer(
  deps: Deps,
  tx: Transaction,
  { vanityName, trailer }: DemoListing,
  known: Known,
): Promise<void> {
  if (trailer === undefined) return
  await storeKnownVideo(deps, tx, known.uidOf(vanityName), await openVideo(trailer).bytes())
}

function fail(message: string): never {
  throw new Error(message)
}

export function gameRow(listing: DemoListing, known: Known): GameValues {
  const { vanityName, parent, players, changelog = [], release, visibility = 'public' } = listing
  const publishedAt = daysBefore(known.now, listing.daysAgo)
  const publicSince = visibility === 'public' ? publishedAt : null
  const changes = [...changelog, release ?? []].flat().map(({ daysAgo }) => daysAgo)
  return {
    ...PAGE_DEFAULTS,
    ...listing,
    uid: known.uidOf(vanityName),
    ownerUid: known.personOf(listing.by),
    visibility,
    description: listing.description.join('\n'),
    playersMin: players?.[0] ?? null,
    playersMax: players?.[1] ?? null,
    parentUid: typeof parent === 'string' ? known.uidOf(parent) : null,
    parentExternalName: typeof parent === 'object' ? parent.name : null,
    parentExternalUrl: typeof parent === 'object' ? parent.url : null,
    webPlayer: webPlayerOf(vanityName),
    savesEnabled: webPlayerOf(vanityName) !== null,
    createdAt: daysBefore(publishedAt, 30),
    updatedAt: daysBefore(known.now, Math.min(listing.daysAgo, ...changes)),
    publishedAt: publicSince,
    publicSince,
  }
}

/** The rows that depend on a listing. */
function communityRows(listing: DemoListing, known: Known): CommunityRows {
  return { ...pageRows(listing, known), ...playerRows(listing, known) }
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
    gameAdmins: (listing.admins ?? []).map(({ who, accepted }) => ({
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
  {
    vanityName,
    name,
    priceCents = 0,
    daysAgo,
    reviews = [],
    suggestedTags = {},
    hiddenTags = [],
  }: DemoListing,
  { now, uidOf, personOf }: Known,
) {
  const gameUid = uidOf(vanityName)
  const random = createRandom(vanityName)
  const suggestions = Object.entries(suggestedTags).flatMap(([tag, votes]) =>
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
    hiddenTags: hiddenTags.map((tag) => ({ gameUid, tag })),
  }
}

/** What a developer of `people.json` shows. The pictures are cut out of those of the listings. */
interface About {
  bio: readonly string[]
  links: readonly { label: string; url: string }[]
  featured: string
  picture?: string
  banner?: string
}

type ProfilePictures = ReadonlyMap<string, Partial<Record<PersonImage, ProcessedImage>>>

const PROFILES: ReadonlyMap<string, About> = new Map(
  Object.entries(DEVELOPERS).map(([username, { about }]) => [username, about]),
)

async function loadProfilePictures(): Promise<ProfilePictures> {
  const made = new Map<string, Partial<Record<PersonImage, ProcessedImage>>>()
  for (const [username, about] of PROFILES) {
    const images: Partial<Record<PersonImage, ProcessedImage>> = {}
    for (const kind of PERSON_IMAGES) {
      const [folder, name] = about[kind]?.split('/') ?? []
      if (folder === undefined || name === undefined) continue
      const bytes = await openPicture(folder, name).bytes()
      images[kind] = await processImage(bytes, PERSON_BOXES[kind], 'image/webp')
    }
    made.set(username, images)
  }
  return made
}

/** Profiles that exist already stay as they are. */
async function attachProfiles(
  deps: Deps,
  tx: Transaction,
  pictures: ProfilePictures,
  { personOf, uidOf }: { personOf(name: string): string; uidOf(vanityName: string): string },
): Promise<void> {
  for (const [username, { bio, links, featured }] of PROFILES) {
    const { picture, banner } = pictures.get(username) ?? {}
    await insertProfile(tx, {
      userUid: personOf(username),
      bio: bio.join('\n'),
      links: [...links],
      featuredUid: uidOf(featured),
      bannerKey: banner ? await claimObject(deps, tx, banner) : null,
      pictureKey: picture ? await claimObject(deps, tx, picture) : null,
    })
  }
}
