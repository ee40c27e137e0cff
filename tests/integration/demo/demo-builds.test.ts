import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import { attestations, builds, channelPointers, fileEntries, files } from '../../../src/db/schema/builds.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { publishers } from '../../../src/db/schema/publishers.ts'
import { loadDemoBuilds } from '../../../src/demo/builds.ts'
import { DEMO_LISTINGS, DEVELOPERS } from '../../../src/demo/data.ts'
import { planBuilds } from '../../../src/demo/planned-builds.ts'
import { loadListing } from '../../../src/features/catalog/pages/listing.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { createPlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { readZip } from '../../helpers/files/zip.ts'
import { insertGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const NAMES = ['the-last-ferry', 'rain-on-things', 'one-more-stone', 'lighthouse-keepers-union'] as const
const UPDATED_AT = new Date('2026-01-31T12:00:00.000Z')

const server = useStore({ TRUST_PROXY: '1' })
beforeAll(async () => {
  for (const name of NAMES) await insertDemoPage(name)
})

function demoListing(name: string) {
  const listing = DEMO_LISTINGS.find(({ vanityName }) => vanityName === name)
  if (!listing) throw new Error(`No demo listing is called ${name}`)
  return listing
}

/** The page alone, without pictures and everything around it. */
async function insertDemoPage(vanityName: string): Promise<void> {
  const { by, assetType, name } = demoListing(vanityName)
  const { email } = DEVELOPERS[by]
  const { db } = server.deps
  await db.insert(users).values({ id: createUid(), name, email, username: by }).onConflictDoNothing()
  const [owner] = await db.select().from(users).where(eq(users.email, email))
  await db.insert(games).values({
    ownerUid: owner?.id ?? '',
    assetType,
    name,
    vanityName,
    updatedAt: UPDATED_AT,
    visibility: 'public',
  })
}

describe('demo builds', () => {
  test('are there once, however often they are loaded', async () => {
    const counts = await Promise.all([loadDemoBuilds(server.deps), loadDemoBuilds(server.deps)])
    const planned = NAMES.flatMap((name) => planBuilds(demoListing(name))).length
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, planned])
    expect(await server.deps.db.$count(builds)).toBe(planned)
    expect(await loadDemoBuilds(server.deps)).toBe(0)
  })

  test('are real zips whose entries are recorded where they lie', async () => {
    const { db, objects } = server.deps
    for (const file of await db.select().from(files)) {
      const { stream } = await objects.get(file.objectKey)
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
      expect(sha256Hex(bytes)).toBe(file.checksum)
      const names = readZip(bytes).flatMap(({ name }) => (name.endsWith('/') ? [] : [name]))
      const entries = await db.select().from(fileEntries).where(eq(fileEntries.fileUid, file.uid))
      expect(new Set(entries.map(({ path }) => path))).toEqual(new Set(names))
      for (const { dataAt, packed, sha256 } of entries) {
        const from = dataAt ?? 0
        expect(sha256Hex(bytes.subarray(from, from + (packed ?? 0)))).toBe(sha256)
      }
    }
  })

  test('for the web can be played', async () => {
    const pages = await server.deps.db
      .select({ page: files.entryPage })
      .from(files)
      .innerJoin(builds, eq(builds.uid, files.buildUid))
      .where(eq(builds.os, 'web'))
    expect(pages).toEqual([{ page: 'index.html' }])
  })

  test('of programs are installed and started by shelf', async () => {
    const { db } = server.deps
    const rows = await db
      .select({ os: builds.os, launch: builds.launch, type: games.assetType, game: games.vanityName })
      .from(builds)
      .innerJoin(games, eq(games.uid, builds.gameUid))
    const desktop = rows.filter(
      ({ os, type }) => type === 'game' && ['linux', 'windows', 'macos'].includes(os),
    )
    expect(desktop.length).toBeGreaterThan(0)
    for (const { launch } of desktop) expect(launch?.path).toMatch(/^[\w-]+\.(sh|bat)$/)
    const linux = desktop.find(({ os }) => os === 'linux')?.game ?? ''
    await db.update(games).set({ anonymousDownloads: true }).where(eq(games.vanityName, linux))
    const player = await createPlayerMachine(server.url)
    try {
      const platform = ['--os', 'linux', '--arch', 'x86_64']
      requireDone(await player.shelf(['get', linux, '--json', ...platform]))
      const { code, out } = await player.shelf(['run', linux])
      expect([code, out]).toEqual([0, expect.stringContaining(demoListing(linux).name)])
    } finally {
      await player.remove()
    }
  })

  test('are what the channels point at, and left the pages as old as they were', async () => {
    for (const name of NAMES) {
      const [game] = await server.deps.db.select().from(games).where(eq(games.vanityName, name))
      expect(game?.updatedAt).toEqual(UPDATED_AT)
      const pointers = await server.deps.db
        .select({ channel: channelPointers.channel, os: channelPointers.os, version: builds.version })
        .from(channelPointers)
        .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
        .where(eq(channelPointers.gameUid, game?.uid ?? ''))
      const newest = planBuilds(demoListing(name)).map(({ channel, os, version }) => ({
        channel,
        os,
        version,
      }))
      expect(newest).toEqual(expect.arrayContaining(pointers))
      expect(new Set(pointers.map(({ channel, os }) => `${channel} ${os}`)).size).toBe(
        new Set(newest.map(({ channel, os }) => `${channel} ${os}`)).size,
      )
    }
  })

  test('show a game with other apps and the notes of its newest release', async () => {
    const listing = await loadListing(server.deps, 'lighthouse-keepers-union')
    expect(new Set(listing.files.map(({ app_name }) => app_name))).toEqual(
      new Set(['Lighthouse Keepers’ Union', 'Chart editor', 'Dedicated server']),
    )
    const [entry] = listing.changelog
    expect(entry).toMatchObject({ title: 'Your own coast', version: '1.3.0' })
    expect(entry?.items).toHaveLength(3)
  })

  test("are never given to somebody's own page of that name", async () => {
    const game = await insertGame(server, await signUp(server), { vanityName: 'winter-letters' })
    expect(await loadDemoBuilds(server.deps)).toBe(0)
    expect(await server.deps.db.$count(builds, eq(builds.gameUid, game.uid))).toBe(0)
  })
})

test('one demo game is built by a trusted publisher, and has its statement', async () => {
  await loadDemoBuilds(server.deps)
  const { db } = server.deps
  const trusted = await db.select().from(files).where(eq(files.source, 'trusted_publisher'))
  expect(trusted.length).toBeGreaterThan(0)
  expect(new Set(trusted.map(({ gameUid }) => gameUid)).size).toBe(1)
  expect(await db.$count(publishers)).toBe(1)
  expect(await db.$count(attestations)).toBe(2 * trusted.length)
})
