import { beforeAll, describe, expect, test } from 'bun:test'

import { changelogEntries, editions, images } from '../../../../src/db/schema/games/game-pages.ts'
import {
  gameDependencies,
  gameSimilarTitles,
  tagSuggestions,
} from '../../../../src/db/schema/games/game-relations.ts'
import { loadCards } from '../../../../src/features/catalog/pages/cards.ts'
import { loadListing } from '../../../../src/features/catalog/pages/listing.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let full: GameRow
let empty: GameRow
const others: GameRow[] = []

beforeAll(async () => {
  for (let made = 0; made < 50; made += 1) others.push(await insertPublicGame(server, owner))
  empty = await insertGame(server, owner, { visibility: 'public', tags: [] })
  full = await insertFullPage()
})

/** As much as a page can hold. */
async function insertFullPage(): Promise<GameRow> {
  const { db } = server.deps
  const [parent] = others
  const game = await insertPublicGame(server, owner, { assetType: 'mod', parentUid: parent?.uid ?? null })
  const gameUid = game.uid
  const players = await Promise.all([signUp(server), signUp(server), signUp(server)])
  const times = (count: number) => Array.from({ length: count }, (_, index) => index)
  const links = others.map(({ uid }, position) => ({ kind: 'uses' as const, uid, position }))
  await db
    .insert(gameDependencies)
    .values([
      ...links.map(({ uid, ...link }) => ({ ...link, gameUid, targetUid: uid })),
      ...links.map(({ uid, ...link }) => ({ ...link, gameUid: uid, targetUid: gameUid })),
    ])
  await db
    .insert(gameSimilarTitles)
    .values(others.slice(0, 10).map(({ uid }, position) => ({ gameUid, similarUid: uid, position })))
  await db.insert(editions).values(times(20).map((n) => ({ gameUid, name: `Edition ${n}`, priceCents: 99 })))
  await db.insert(changelogEntries).values(times(30).map((n) => ({ gameUid, title: `Entry ${n}`, body: '' })))
  const picture = {
    gameUid,
    kind: 'gallery',
    objectKey: 'images/x.webp',
    width: 1,
    height: 1,
    size: 1,
  } as const
  await db.insert(images).values(times(12).map((position) => ({ ...picture, position })))
  await db
    .insert(tagSuggestions)
    .values(players.flatMap(({ uid }) => times(10).map((n) => ({ gameUid, userUid: uid, tag: `tag-${n}` }))))
  return game
}

const count = async (work: () => Promise<unknown>) => (await watchStatements(server, work)).length

describe('statements', () => {
  test('of a page are as many for a full one as for an empty one', async () => {
    const { deps } = server
    const listing = await loadListing(deps, full.uid)
    expect(listing.relations.uses).toHaveLength(50)
    expect(listing.relations.used_by).toHaveLength(50)
    expect(listing).toMatchObject({ editions: { length: 20 }, gallery: { length: 12 } })
    expect(listing).toMatchObject({ similar_titles: { length: 10 }, community_tags: { length: 10 } })
    const ofFull = await count(() => loadListing(deps, full.uid))
    expect(await count(() => loadListing(deps, full.vanityName))).toBe(ofFull)
    expect(await count(() => loadListing(deps, empty.uid))).toBeLessThanOrEqual(ofFull)
    expect(ofFull).toBeLessThanOrEqual(13)
  })

  test('of cards are as many for fifty as for one', async () => {
    const uids = others.map(({ uid }) => uid)
    const ofFifty = await count(() => loadCards(server.deps, uids))
    expect(await count(() => loadCards(server.deps, uids.slice(0, 1)))).toBe(ofFifty)
    expect(await count(() => loadCards(server.deps, []))).toBeLessThanOrEqual(ofFifty)
    expect(ofFifty).toBe(1)
  })
})

describe('cards', () => {
  test('keep the order asked for and leave out what is not public', async () => {
    const hidden = await Promise.all(
      (['draft', 'owner', 'invisible'] as const).map((visibility) =>
        insertGame(server, owner, { visibility }),
      ),
    )
    const wanted = others.slice(0, 5).toReversed()
    const asked = [...wanted, ...hidden].map(({ uid }) => uid)
    const cards = await loadCards(server.deps, [crypto.randomUUID(), ...asked])
    expect(cards.map(({ uid }) => uid)).toEqual(wanted.map(({ uid }) => uid))
  })

  test('tell what the page tells', async () => {
    const { deps } = server
    const [card] = await loadCards(deps, [full.uid])
    const { engines, content_warnings, scan, platforms, ...rest } = card ?? ({} as never)
    const { playable, playable_on_phones, score, matched_tags, ...shared } = rest
    expect(await loadListing(deps, full.uid)).toMatchObject(shared)
    expect([engines, content_warnings, scan, platforms]).toEqual([[], [], null, []])
    expect([playable, playable_on_phones, score, matched_tags]).toEqual([false, false, 0, []])
  })
})
