import { join } from 'node:path'

import { createFallbackEngine } from '../../../clients/search/fallback-engine.ts'
import { openPostgresEngine } from '../../../clients/search/postgres/engine.ts'
import type {
  SearchWords,
  Suggestions as FoundSuggestions,
} from '../../../clients/search/postgres/search-words.ts'
import { Snapshots } from '../../../clients/search/postgres/snapshots/snapshots.ts'
import type {
  FacetCount,
  SearchEngine,
  SearchHit,
  SearchHits,
  SearchQuery,
} from '../../../clients/search/search-engine.ts'
import type { Database } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, hiddenTagsFor, seesAdult, toPerson } from '../../../domain/actor.ts'
import { type Followed, NOTHING_FOLLOWED } from '../../../domain/follows.ts'
import type { SameWords } from '../../../domain/listings/everyday-words.ts'
import { type Facet, FACETS } from '../../../domain/listings/facets.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import type { ReadFollowed } from '../../community/follows/followed.ts'
import { toImage } from '../../listings/images/service.ts'
import { createCollectionReader, findShownCollection, type LoadCollections } from '../collections/service.ts'
import type { LoadCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { createShelfReader, type FindShelf } from '../shelves/service.ts'
import { createCardCache } from './card-cache.ts'
import { correct, isFiller, widen } from './find-wider.ts'
import { NEGATIONS, plainWordsOf, replaceWords } from './find-words.ts'
import { MIRROR_KEY, mirrorSearch, REBUILD_KEY, rebuildSearch } from './jobs.ts'
import { isMirrorCurrent } from './mirror-queries.ts'
import type { Facets, SearchAnswer, Suggestions } from './model.ts'
import { listGamesOfJam, listTexts } from './queries.ts'
import { parseQuery, type ReadQuery } from './query.ts'
import { findReindex } from './reindex-queries.ts'
import { requestReindex } from './reindex.ts'
import { createMissCounter, type MissCounter, type SearchRequest } from './request.ts'
import { createSameWordsReader } from './same-words.ts'
import { listSuggested } from './suggest-queries.ts'

export interface CatalogSearch {
  engine: SearchEngine
  words: SearchWords
  /** As the operators have set it. */
  sameWords(): SameWords
  misses: MissCounter
  loadSuggested: LoadSuggested
  loadCards: LoadCards
  loadCollections: LoadCollections
  findShelf: FindShelf
  readFollowed: ReadFollowed
  listJamGames: ListJamGames
  /** Whether the store offers to play in the browser. */
  isPlayOpen: boolean
}

export async function openCatalogSearch(deps: Deps, readFollowed: ReadFollowed): Promise<CatalogSearch> {
  return {
    ...(await openSearchEngine(deps)),
    sameWords: createSameWordsReader(deps),
    misses: createMissCounter(deps),
    loadSuggested: (found) => loadSuggested(deps, found),
    loadCards: await createCardCache(deps),
    loadCollections: await createCollectionReader(deps.database),
    findShelf: createShelfReader(deps),
    readFollowed,
    listJamGames: createJamReader(deps),
    isPlayOpen: deps.config.playUrl !== null,
  }
}

/** The result of a search. Its objects stay the same ones until the result changes. */
export interface FoundCards {
  query: ReadQuery
  hits: SearchHits
  cards: readonly Card[]
  /** Where nothing was found: the words that were meant, if others find something. */
  didYouMean: string | null
}

/**
 * The database confirms every hit before it is returned, so that a stale index never shows a listing that was hidden
 * or has become adult.
 */
export async function findCards(
  search: CatalogSearch,
  visitor: Actor,
  request: SearchRequest,
  facets: readonly Facet[] = FACETS,
): Promise<FoundCards> {
  const withAdult = seesAdult(visitor)
  const query = await loadQueryOf(search, visitor, request, facets)
  const hits = await findHits(search, query.query)
  const cards = await search.loadCards(hits.hits.map(({ uid }) => uid))
  const isMissed = hits.total === 0 && query.words !== null
  if (isMissed) search.misses.count(request)
  return {
    query,
    hits,
    cards: withAdult ? cards : cards.filter(({ adult }) => !adult),
    didYouMean: isMissed ? await suggestWords(search, visitor, request, query) : null,
  }
}

/** A search that finds fewer is widened: one of them may have a word by chance that only stands between the others. */
const FEW = 5

/** A search that finds little is widened once, and one that finds nothing takes short words as a name writes them. */
async function findHits({ engine, words }: CatalogSearch, query: SearchQuery): Promise<SearchHits> {
  const hits = await engine.search(query)
  const { find } = query
  if (hits.total >= FEW || !find) return hits
  const wider = widen(find, words.isKnown)
  const more = wider && (await engine.search({ ...query, find: wider }))
  if (more && more.total > hits.total) return more
  const corrected = hits.total > 0 ? null : await correct(find, words.findNearName)
  return corrected === null ? hits : await engine.search({ ...query, find: corrected })
}

/** The number of results alone, without facets and cards. */
export async function countCards(
  search: CatalogSearch,
  visitor: Actor,
  request: SearchRequest,
): Promise<number> {
  const { query } = await loadQueryOf(search, visitor, request, [])
  return (await findHits(search, { ...query, offset: 0, limit: 0 })).total
}

/** How many searches look for words that find something. */
const TRIALS_MAX = 6

/** The same search with the nearest words in place of those that no listing has. */
async function suggestWords(
  search: CatalogSearch,
  visitor: Actor,
  request: SearchRequest,
  { words }: ReadQuery,
): Promise<string | null> {
  const unknown = (words?.find.terms ?? [])
    .flatMap(({ kind, alternatives }) => {
      const word = alternatives[0]?.[0]
      const isTyped = (kind === 'word' || kind === 'beginning') && word !== undefined
      return isTyped && !search.words.isKnown(word, kind === 'beginning') ? word : []
    })
    .slice(0, TRIALS_MAX)
  if (unknown.length === 0) return null
  const nearest = await Promise.all(unknown.map((word) => search.words.findNearest(word)))
  for (let nth = 0, trials = 0; trials < TRIALS_MAX && nearest.some((list) => list.length > nth); nth += 1) {
    trials += 1
    const others = unknown.flatMap((word, index): [string, string][] => {
      const other = nearest[index]?.[nth] ?? nearest[index]?.[0]
      return other === undefined ? [] : [[word, other]]
    })
    const text = replaceWords(request.first('find'), new Map(others))
    const saysNothing = plainWordsOf(text)
      .split(' ')
      .every((word) => isFiller(word) || NEGATIONS.has(word))
    if (saysNothing) continue
    if ((await countCards(search, visitor, request.with('find', [text]))) > 0) return text
  }
  return null
}

/** A collection or jam that is not shown or does not exist has no listings; who is not signed in follows none. */
async function loadQueryOf(
  { loadCollections, readFollowed, listJamGames, isPlayOpen, words, sameWords }: CatalogSearch,
  visitor: Actor,
  request: SearchRequest,
  facets: readonly Facet[],
): Promise<ReadQuery> {
  // Another engine answers without these words.
  if (request.first('find') !== '') await words.refresh().catch(() => undefined)
  const slug = request.first('collection')
  const collection = slug === '' ? undefined : await findShownCollection(loadCollections, slug)
  const jam = request.first('jam')
  const [isFollowed, isWished] = [request.first('followed') !== '', request.first('wished') !== '']
  const followed = isFollowed || isWished ? await loadFollowed(readFollowed, visitor) : NOTHING_FOLLOWED
  return parseQuery(request, seesAdult(visitor), {
    hiddenTags: hiddenTagsFor(visitor, request.first('show_hidden')),
    among: [
      ...(slug === '' ? [] : [collection?.gameUids ?? []]),
      ...(jam === '' ? [] : [await listJamGames(jam)]),
      ...(isFollowed ? [Array.from(followed.games)] : []),
      ...(isWished ? [Array.from(followed.wishes)] : []),
    ],
    isPlayOpen,
    facets,
    known: { ...words, sameWords: sameWords() },
  })
}

/** Programs of agents do not learn what their person follows. */
async function loadFollowed(readFollowed: ReadFollowed, visitor: Actor): Promise<Followed> {
  const isPerson = visitor.kind === 'user' || visitor.kind === 'player'
  return isPerson ? await readFollowed(visitor.userUid) : NOTHING_FOLLOWED
}

export async function searchCatalog(
  search: CatalogSearch,
  visitor: Actor,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const started = performance.now()
  const [{ query, hits, cards, didYouMean }, followed] = await Promise.all([
    findCards(search, visitor, request),
    visitor.kind === 'player' ? search.readFollowed(visitor.userUid) : null,
  ])
  return {
    items: toHits(cards, hits.hits, query.query.tags, followed),
    total: hits.total,
    page: query.page.page,
    page_size: query.page.page_size,
    facets: toFacets(hits),
    ...(query.words && { understood: query.words.understood, did_you_mean: didYouMean }),
    engine: hits.engine,
    took_ms: Math.round(performance.now() - started),
  }
}

function toFacets({ facets }: SearchHits): Facets {
  return Object.fromEntries(FACETS.map((facet) => [facet, toCounts(facets[facet] ?? [])])) as Facets
}

function toHits(
  cards: readonly Card[],
  hits: readonly SearchHit[],
  tags: readonly string[],
  followed: Followed | null,
): Card[] {
  const scores = new Map(hits.map(({ uid, score }) => [uid, score]))
  return cards.map((card) => ({
    ...card,
    score: scores.get(card.uid) ?? 0,
    matched_tags: tags.filter(
      (wanted) =>
        card.taxonomy.tags.includes(wanted) || card.community_tags.some(({ tag }) => tag === wanted),
    ),
    ...(followed && { followed: followed.games.has(card.uid), wished: followed.wishes.has(card.uid) }),
  }))
}

function toCounts(counts: readonly FacetCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ value, count }) => [value, count]))
}

/** A mirror that lags longer than this is stale, not merely catching up. */
const BEHIND_MAX_S = 10
const CHECK_EVERY_MS = 1000
const SNAPSHOT_FILE = 'search-index'

/** After an upgrade, documents that lack fields are indexed again. */
async function reindexOutdated(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    if (await findReindex(tx)) return
    await requestReindex(tx)
    await enqueue(tx, rebuildSearch, {}, { key: REBUILD_KEY })
  })
}

/** Postgres, which also is the fallback for a configured engine. */
async function openSearchEngine({
  config,
  database,
  db,
  log,
}: Deps): Promise<Pick<CatalogSearch, 'engine' | 'words'>> {
  const snapshots = new Snapshots(db, join(config.dataDir, SNAPSHOT_FILE), log)
  const postgres = await openPostgresEngine(database, snapshots, undefined, (uids) => listTexts(db, uids))
  // Loads the index now, so that the first search does not wait; if this fails, that search loads it.
  void postgres
    .settled()
    .then(() => (postgres.words.isOutdated() ? reindexOutdated(db) : undefined))
    .catch(() => undefined)
  const { words } = postgres
  if (!config.meili) return { engine: postgres, words }
  const { openMeilisearch } = await import('../../../clients/search/meilisearch/engine.ts')
  const preferred = openMeilisearch(config.meili)
  // Fills an engine that was just configured without waiting for a change.
  await enqueue(db, mirrorSearch, {}, { key: MIRROR_KEY })
  const engine = createFallbackEngine({
    preferred,
    spare: postgres,
    isCurrent: memoize(CHECK_EVERY_MS, () => isMirrorCurrent(db, preferred.name, BEHIND_MAX_S)),
    log,
  })
  return { engine, words }
}

/** The listings that are entered into a jam, by its slug; none for a jam that is not shown. */
type ListJamGames = (slug: string) => Promise<readonly string[]>

/** How long a search may miss a new entry. */
const LIFETIME_MS = 5000
const JAMS_MAX = 50
const GAMES_MAX = 20_000

/** Cached, because every search in a jam needs them all. */
function createJamReader({ db }: Pick<Deps, 'db'>): ListJamGames {
  const cache = createCache<readonly string[]>({ maxEntries: JAMS_MAX, lifetimeMs: LIFETIME_MS })
  return (slug) => cache.load(slug, () => listGamesOfJam(db, slug, GAMES_MAX))
}

type Shown = Pick<Suggestions, 'listings' | 'developers'>
type Found = Pick<FoundSuggestions, 'uids' | 'usernames'>

/** Those of the listings and developers that are still shown, in the order given. */
type LoadSuggested = (found: Found) => Promise<Shown>

async function loadSuggested(
  { config: { baseUrl }, db }: Pick<Deps, 'config' | 'db'>,
  { uids, usernames }: Found,
): Promise<Shown> {
  if (uids.length + usernames.length === 0) return { listings: [], developers: [] }
  const listings = new Map<string, Suggestions['listings'][number]>()
  const developers = new Map<string, Suggestions['developers'][number]>()
  for (const { listing, image, ...row } of await listSuggested(db, uids, usernames)) {
    const person = toPerson(baseUrl, row)
    if (listing === null) {
      developers.set(row.username, person)
      continue
    }
    const { uid, vanityName, name, ownerUid } = listing
    const cover = image && toImage(baseUrl, image)
    listings.set(uid, { vanity_name: vanityName, name, cover, developer: { uid: ownerUid, ...person } })
  }
  return {
    listings: uids.flatMap((uid) => listings.get(uid) ?? []),
    developers: usernames.flatMap((username) => developers.get(username) ?? []),
  }
}
