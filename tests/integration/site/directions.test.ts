import { beforeAll, expect, test } from 'bun:test'

import { collections } from '../../../src/db/schema/catalog.ts'
import { gameDependencies, gameSimilarTitles } from '../../../src/db/schema/games/game-relations.ts'
import type { Ticket } from '../../../src/features/bugs/tickets/model.ts'
import { createBugKey, fileTicket, setReporter } from '../../helpers/bugs.ts'
import { readData } from '../../helpers/json.ts'
import {
  insertAdmin,
  insertGame,
  insertLicense,
  setPlayMinutes,
  verifyEmail,
} from '../../helpers/listings.ts'
import { act } from '../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../helpers/people.ts'
import { releaseWeb } from '../../helpers/play.ts'
import { release } from '../../helpers/releases.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { useShop } from '../../helpers/selling/selling.ts'
import { findUnisolated } from '../../helpers/site/directions.ts'
import { fillShop } from '../../helpers/site/shop-data.ts'
import { publishListing } from '../../helpers/store-listing.ts'

/** "The lamp's key"; everything that people wrote here is in Arabic. */
const NAME = 'مفتاح المصباح'
const TEXT = 'لعبة صغيرة عن المنارة'
const TOOL = { version: '0.1.0', os: 'linux', arch: 'x86_64', channel: 'dev', app: 'editor', app_name: NAME }

const shop = useShop()
let owner: Person
let player: Person
let operator: Person
/** The pages that each of them looks at. */
let paths: Record<'guest' | 'owner' | 'player' | 'buyer' | 'seller' | 'operator', string[]>
let buyer: Person
let seller: Person

const api = '/api/v1/private/games'

async function sent(answer: Promise<Response>): Promise<Response> {
  const { status, url } = await answer
  if (status >= 300) throw new Error(`${url} answered ${status}: ${await (await answer).text()}`)
  return await answer
}

beforeAll(async () => {
  const { server } = shop
  ;[owner, player] = [await signUp(server), await signUp(server)]
  const sold = await fillShop(shop, NAME)
  ;({ operator, buyer, seller } = sold)
  for (const person of [owner, player, buyer, seller]) {
    await verifyEmail(server, person)
    await sent(person.json('PATCH', '/api/v1/private/me', { display_name: NAME, developer_mode: true }))
  }
  const profile = { bio: TEXT, links: [{ label: NAME, url: 'https://a.example/' }] }
  await sent(owner.json('PATCH', '/api/v1/private/me', profile))
  const words = { name: NAME, tagline: TEXT, description: TEXT }
  const full = await publishListing(
    server,
    owner,
    { ...words, authorshipCredit: NAME },
    { filename: `${NAME}.zip` },
  )
  const { uid } = full.game
  const mod = await publishListing(server, owner, { ...words, assetType: 'mod', parentUid: uid })
  const outer = {
    assetType: 'mod',
    parentExternalName: NAME,
    parentExternalUrl: 'https://a.example/',
  } as const
  const strange = await publishListing(server, owner, { ...words, ...outer })
  const played = await publishListing(server, owner, words)
  await releaseWeb(server, played.game.uid)
  const adult = await publishListing(server, owner, { ...words, adult: true })
  const down = await publishListing(server, owner, words)
  const draft = await insertGame(server, owner, words)
  await sent(owner.json('POST', `${api}/${uid}/builds`, TOOL))
  await release(server, uid, { os: 'linux' }, TOOL.app)
  const { db } = server.deps
  await db
    .insert(gameDependencies)
    .values({ gameUid: uid, targetUid: played.game.uid, kind: 'uses', position: 0 })
  await db.insert(gameSimilarTitles).values({ gameUid: uid, similarUid: played.game.uid, position: 0 })
  await sent(
    owner.json('PUT', `${api}/${uid}/press`, {
      history: TEXT,
      features: [TEXT],
      awards: [TEXT],
      quotes: [
        { text: TEXT, source: NAME, url: 'https://a.example/' },
        { text: `${TEXT} ٢`, source: NAME, url: null },
      ],
      team: [
        { name: NAME, role: TEXT, url: 'https://a.example/' },
        { name: NAME, role: null, url: null },
      ],
      links: [{ label: NAME, url: 'https://a.example/' }],
    }),
  )
  await insertLicense(server, uid, player)
  await insertLicense(server, played.game.uid, player)
  await setPlayMinutes(server, uid, player, 90)
  await sent(player.json('PUT', `${api}/${uid}/review`, { rating: 4, text: TEXT }))
  await setReporter(owner, uid)
  const ticket = await fileTicket(server, await createBugKey(player), uid, { message: TEXT })
  await sent(owner.json('PATCH', `${api}/${uid}/bugs/${ticket}`, { status: 'fixed', note: TEXT }))
  await readData<Ticket>(await owner.fetch(`${api}/${uid}/bugs/${ticket}`))
  const gift = { username: await usernameOf(player) }
  await sent(owner.json('POST', `${api}/${mod.game.uid}/licenses`, gift))
  await insertAdmin(server, draft.uid, player, 'invited')
  await db.insert(collections).values({
    slug: 'lamps',
    title: NAME,
    text: TEXT,
    gameUids: [uid, played.game.uid, mod.game.uid],
    onHome: true,
  })
  const page = { slug: 'about', title: NAME, markdown: TEXT }
  const settings = { pages: [page], footer_links: [{ label: NAME, url: 'https://a.example/' }] }
  await sent(operator.json('PATCH', '/api/v1/operator/settings', settings))
  await sent(act(operator, `listings/${down.game.uid}/take-down`, { reason: TEXT }))
  await sent(player.json('POST', `${api}/${uid}/reports`, { reason: 'other', text: TEXT }))
  await indexNow(server, uid)
  const name = await usernameOf(owner)
  paths = {
    guest: [
      '/',
      '/search',
      `/search?find=${NAME}`,
      '/search?find=ظظظظظ',
      '/collections',
      '/collections/lamps',
      ...[full, mod, strange, played, adult].map(({ path }) => path),
      ...['posts', 'changelog', 'reviews', 'files', 'mods', 'press', 'report', 'report-bug'].map(
        (tail) => `${full.path}/${tail}`,
      ),
      `${full.path}/files/${full.fileUid}`,
      `${played.path}/play`,
      `${adult.path}/play`,
      `/developers/${name}`,
      '/pages/about',
      sold.game.path,
      sold.free.path,
      `/embed/${full.game.vanityName}`,
    ],
    player: [
      '/library',
      '/library?view=list',
      '/account',
      '/account/profile',
      '/dashboard/invites',
      full.path,
      `${full.path}/report`,
      `${full.path}/report-bug`,
      `/embed/${full.game.vanityName}`,
    ],
    buyer: [
      '/library',
      '/orders',
      sold.game.path,
      ...Object.values(sold.orders).map((order) => `/orders/${order}`),
    ],
    owner: [
      down.path,
      `/games/${draft.vanityName}`,
      '/account/profile',
      '/studio',
      ...['overview', 'page', 'media', 'builds', 'channels', 'press', 'bugs', 'team', 'changelog'].map(
        (tab) => `/studio/${full.game.vanityName}/${tab}`,
      ),
      `/studio/${full.game.vanityName}/bugs/${ticket}`,
    ],
    seller: ['pricing', 'sales', 'keys'].map((tab) => `/studio/${sold.game.game.vanityName}/${tab}`),
    operator: [
      ...['queue', 'reports', 'listings', 'collections', 'accounts', 'sales', 'settings', 'audit'].map(
        (tab) => `/operate/${tab}`,
      ),
      `/operate/listings/${uid}`,
      `/operate/listings/${uid}/take-down`,
      `/operate/listings/${down.game.uid}`,
      `/operate/accounts?q=${owner.uid}`,
      '/operate/settings/page?slug=about',
    ],
  }
})

test.each(['guest', 'player', 'buyer', 'owner', 'seller', 'operator'] as const)(
  'what people wrote is kept apart from the English around it on every page of a %s',
  async (who) => {
    const visitor = { guest: shop.server, player, buyer, owner, seller, operator }[who]
    const found: string[] = []
    const shown = new Set<string>()
    for (const path of paths[who]) {
      const answer = await visitor.fetch(encodeURI(path), { headers: { accept: 'text/html' } })
      const page = await answer.text()
      if (![200, 401, 403, 404].includes(answer.status)) found.push(`${path}: ${answer.status}`)
      if (page.includes(NAME)) shown.add(path)
      found.push(...findUnisolated(page).map((fault) => `${path}: ${fault}`))
    }
    expect(found).toEqual([])
    expect(shown.size).toBeGreaterThan(paths[who].length / 2)
  },
)
