import { eq } from 'drizzle-orm'

import { collections } from '../../../src/db/schema/catalog.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { oauthClients, oauthConsents } from '../../../src/db/schema/oauth.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { insertBuild, insertFile } from '../builds.ts'
import { MARKDOWN_ATTACKS } from '../hostile/markdown-attacks.ts'
import { insertAdmin, insertGame, insertLicense, setPlayMinutes, verifyEmail } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import { releaseWeb } from '../play.ts'
import { publishPost } from '../posts.ts'
import { release } from '../releases.ts'
import { callSaves, createSaveKey } from '../saves.ts'
import type { TestServer } from '../server.ts'
import { registerClient } from '../sign-in/oauth.ts'
import { type FullListing, publishListing } from '../store-listing.ts'

const LONG_NAME = 'Unpronounceable'.repeat(5)
const ATTACK = `"><script>alert(1)</script> & 'x' ${'w'.repeat(40)}`
const HOSTILE = {
  name: ATTACK,
  tagline: '</title><img src=x onerror=alert(1)> {{7*7}} \u202Eevil',
  // A part of them: another test reads them all, and axe reads slowly.
  description: MARKDOWN_ATTACKS.filter((text, at) => at % 6 === 0 && !text.includes('\0')).join('\n\n'),
  tags: ['cozy', 'a'.repeat(32), 'stars'],
}
const HOSTILE_FILE = { filename: `"><svg onload=alert(1)>\u202E${'x'.repeat(80)}.zip` }

export interface SiteData {
  full: FullListing
  hostile: FullListing
  adult: FullListing
  paid: FullListing
  postSlug: string
  /** The path of a page with nothing on it, and of one whose build is being scanned. */
  draft: string
  scanning: string
  /** Owns everything; has everything a player can have; has nothing. */
  maker: Person
  player: Person
  newcomer: Person
  makerName: string
  clientId: string
}

/** Listings and people that together show every part of the pages for players, with hostile texts. */
export async function fillSite(server: TestServer): Promise<SiteData> {
  const [maker, player, newcomer] = [
    await signUp(server),
    await signUp(server, LONG_NAME),
    await signUp(server),
  ]
  const full = await publishListing(server, maker, { name: 'Lantern Keeper' })
  const hostile = await publishListing(server, maker, HOSTILE, HOSTILE_FILE)
  const adult = await publishListing(server, maker, { adult: true, contentWarnings: ['gore'] })
  const paid = await publishListing(server, maker, { priceCents: 999, anonymousDownloads: false })
  await publishListing(server, maker, { name: ATTACK, assetType: 'mod', parentUid: full.game.uid })
  const draft = await insertGame(server, maker, { description: '', tags: [], tagline: '' })
  const scanning = await insertGame(server, maker, { visibility: 'public' })
  await insertFile(server, await insertBuild(server, scanning.uid), { scan: 'scanning' })
  await release(server, full.game.uid, { version: '2.0.0-beta', channel: 'beta' })
  await release(server, full.game.uid, { version: '1.0.0', os: 'windows' })
  for (const { game } of [full, hostile, paid]) await releaseWeb(server, game.uid)
  await insertAdmin(server, draft.uid, player, 'invited')
  await writePress(maker, hostile.game.uid)
  for (const { game } of [full, hostile]) {
    await playAndReview(server, player, game.uid)
    await keepSaves(server, player, game.uid)
  }
  await fillAccount(server, player)
  await followAll(player, [full, hostile, paid], maker)
  const { slug: postSlug } = await publishPost(maker, hostile.game, {
    title: ATTACK,
    markdown: HOSTILE.description,
  })
  await server.deps.db.insert(collections).values({
    slug: 'rainy-days',
    title: 'Rainy days',
    text: ATTACK,
    gameUids: [full, hostile, paid].map(({ game }) => game.uid),
    onHome: true,
  })
  const me = (await (await maker.fetch('/api/v1/private/me')).json()) as { data: { username: string } }
  return {
    full,
    hostile,
    adult,
    paid,
    maker,
    player,
    newcomer,
    postSlug,
    makerName: me.data.username,
    draft: `/games/${draft.vanityName}`,
    scanning: `/games/${scanning.vanityName}`,
    clientId: await registerClient(server),
  }
}

async function followAll(player: Person, listings: readonly FullListing[], maker: Person): Promise<void> {
  const follows = '/api/v1/private/follows'
  for (const { game } of listings) await player.json('PUT', `${follows}/games/${game.uid}`, { wish: true })
  await player.json('PUT', `${follows}/developers/${maker.uid}`, {})
}

async function writePress(maker: Person, gameUid: string): Promise<void> {
  const url = 'https://example.org/x'
  const response = await maker.json('PUT', `/api/v1/private/games/${gameUid}/press`, {
    history: '# Big\n\n<script>alert(1)</script>',
    features: [ATTACK],
    awards: [ATTACK],
    quotes: [{ text: ATTACK, source: ATTACK, url }],
    team: [{ name: 'Robin', role: ATTACK, url }],
    links: [{ label: ATTACK, url }],
  })
  if (response.status !== 200) throw new Error(`The press kit was refused: ${await response.text()}`)
}

async function playAndReview(server: TestServer, player: Person, gameUid: string): Promise<void> {
  await insertLicense(server, gameUid, player, { beta: true })
  await setPlayMinutes(server, gameUid, player, 90)
  await verifyEmail(server, player)
  const review = { rating: 4, text: '<script>alert(1)</script>' }
  await player.json('PUT', `/api/v1/private/games/${gameUid}/review`, review)
}

/** A save with a history, one that was refused, and one in the bin. */
async function keepSaves(server: TestServer, player: Person, gameUid: string): Promise<void> {
  await server.deps.db.update(games).set({ savesEnabled: true }).where(eq(games.uid, gameUid))
  const saves = callSaves(server, gameUid, await createSaveKey(player))
  const told = { 'x-save-device': encodeURIComponent(LONG_NAME), 'x-save-note': encodeURIComponent(ATTACK) }
  await saves.put('main', 'first', null, told)
  const { revision } = await saves.write('main', 'second', (await saves.list()).slots[0]?.revision ?? null)
  await saves.put('main', 'refused', null, told)
  await saves.write(LONG_NAME.slice(0, 60).trim(), 'x', null)
  await saves.write('binned', 'x', null)
  await saves.remove('binned')
  await saves.write('main', 'third', revision)
}

async function fillAccount(server: TestServer, person: Person): Promise<void> {
  await person.json('POST', '/api/v1/private/player-keys', { label: LONG_NAME })
  await person.json('PATCH', '/api/v1/private/me', { hidden_tags: ['gore'], developer_mode: true })
  const clientId = crypto.randomUUID()
  await server.deps.db
    .insert(oauthClients)
    .values({ id: createUid(), clientId, name: LONG_NAME, redirectUris: [] })
  const scopes = ['player:read', 'mcp:builds.write', 'offline_access']
  await server.deps.db.insert(oauthConsents).values({ id: createUid(), clientId, userId: person.uid, scopes })
}
