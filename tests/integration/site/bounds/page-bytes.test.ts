import { beforeAll, expect, test } from 'bun:test'

import { inventListing } from '../../../../src/demo/bulk/listing.ts'
import { refreshShelves } from '../../../../src/features/catalog/shelves/service.ts'
import { insertLicense, insertPublicGame, setPlayMinutes, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { publishPost } from '../../../helpers/posts.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { type FullListing, publishListing } from '../../../helpers/store-listing.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const HTML_MAX = 20 * 1024
const LISTINGS = 48
const REVIEWS = 6

type GameValues = NonNullable<Parameters<typeof insertPublicGame>[2]>

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const reader = usePerson(server)
let ownerName: string
let full: FullListing

/** A listing as stores have them: texts that repeat little, and every field filled. */
function inventGame(number: number): GameValues {
  const { row } = inventListing(number, new Date())
  return {
    ...row,
    ownerUid: owner.uid,
    visibility: 'public',
    assetType: 'game',
    adult: false,
    licenseKind: null,
    modSettings: null,
    engineCompat: [],
    parentUid: null,
    parentExternalName: null,
    parentExternalUrl: null,
  }
}

const inventText = (number: number) => inventGame(number).description ?? ''

async function review(person: Person, text: string): Promise<void> {
  await verifyEmail(server, person)
  await insertLicense(server, full.game.uid, person)
  await setPlayMinutes(server, full.game.uid, person, 90)
  const path = `/api/v1/private/games/${full.game.uid}/review`
  expect((await person.json('PUT', path, { rating: 4, text })).status).toBe(201)
}

beforeAll(async () => {
  ownerName = await usernameOf(owner)
  const uids: string[] = []
  for (let number = 0; number < LISTINGS; number += 1) {
    const game = await insertPublicGame(server, owner, inventGame(number))
    await insertLicense(server, game.uid, reader)
    uids.push(game.uid)
  }
  full = await publishListing(server, owner, inventGame(LISTINGS))
  for (let number = 0; number < REVIEWS; number += 1)
    await review(await signUp(server), inventText(100 + number).slice(0, 600))
  for (let number = 0; number < 3; number += 1)
    await publishPost(owner, full.game, {
      title: inventText(200 + number).slice(0, 40),
      markdown: inventText(200 + number),
    })
  await indexNow(server, ...uids, full.game.uid)
  await refreshShelves(server.deps, new Date())
})

const PAGES: readonly (readonly [path: () => string, who?: () => Person])[] = [
  [() => '/'],
  [() => '/', () => reader],
  [() => '/search'],
  [() => '/search', () => reader],
  [() => '/search?find=cozy+short+game+-horror&genres=puzzle&exclude_tags=gore&sort=popular'],
  [() => '/search?find=nothing+at+all&tags=cozy'],
  [() => full.path],
  [() => full.path, () => reader],
  [() => `${full.path}/posts`],
  [() => `${full.path}/reviews`],
  [() => `${full.path}/files`],
  [() => `${full.path}/press`],
  [() => `/developers/${ownerName}`],
  [() => `/embed/${full.game.vanityName}`],
  [() => '/library', () => reader],
  [() => '/library?view=list', () => reader],
  [() => '/account', () => reader],
  [() => '/account/profile', () => reader],
  [() => '/account/security', () => reader],
  [() => '/account/privacy', () => reader],
  [() => '/account/keys', () => reader],
  [() => '/account/data', () => reader],
  [() => '/sign-in'],
  [() => '/no-such-page'],
]

test('the HTML of every page for players has at most 20 KB, compressed', async () => {
  const sizes: { path: string; size: number }[] = []
  for (const [pathOf, who] of PAGES) {
    const path = pathOf()
    const answer = await (who?.() ?? server).fetch(path, { headers: { accept: 'text/html' } })
    expect([path, answer.status]).toEqual([path, path === '/no-such-page' ? 404 : 200])
    sizes.push({ path, size: Bun.gzipSync(Buffer.from(await answer.text())).length })
  }
  expect(sizes.filter(({ size }) => size > HTML_MAX)).toEqual([])
})
