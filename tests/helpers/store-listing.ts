import { changelogEntries, editions } from '../../src/db/schema/games/game-pages.ts'
import { insertBuild, insertFile, pointChannel } from './builds.ts'
import { drawPng, send } from './files/pictures.ts'
import { type GameRow, insertGame, verifyEmail } from './listings.ts'
import type { Person } from './people.ts'
import { indexNow } from './search/search.ts'
import type { TestServer } from './server.ts'

export const ZIP_BYTES = new TextEncoder().encode('the bytes of a zip')

type GameValues = Parameters<typeof insertGame>[2]

export interface FullListing {
  game: GameRow
  fileUid: string
  path: string
}

/** Creates a public, indexed listing with pictures, a build to download, editions and news. */
export async function publishListing(
  server: TestServer,
  owner: Person,
  values: GameValues = {},
  file: Parameters<typeof insertFile>[2] = {},
): Promise<FullListing> {
  await verifyEmail(server, owner)
  const game = await insertGame(server, owner, { visibility: 'public', anonymousDownloads: true, ...values })
  const images = `/api/v1/private/games/${game.uid}/images`
  const form = async () => {
    const body = new FormData()
    body.set('file', await drawPng(320, 180), 'picture.png')
    return body
  }
  await owner.fetch(`${images}/cover`, { method: 'PUT', body: await form() })
  for (let count = 0; count < 2; count += 1) await send(owner, `${images}/gallery`, await drawPng(320, 180))
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build)
  const entries = [{ path: 'data/<b>.bin', size: 12, sha256: 'a'.repeat(64) }]
  const checksum = new Bun.CryptoHasher('sha256').update(ZIP_BYTES).digest('hex')
  const stored = await insertFile(server, build, { checksum, ...file }, entries)
  await server.deps.objects.put(stored.objectKey, ZIP_BYTES)
  const { db } = server.deps
  await db.insert(changelogEntries).values({
    gameUid: game.uid,
    title: 'The lamp turns',
    body: '# Big\n\n### Small\n\n- one',
    version: '1.0.0',
  })
  await db.insert(editions).values({ gameUid: game.uid, name: 'Deluxe', priceCents: 999, active: true })
  await indexNow(server, game.uid)
  return { game, fileUid: stored.uid, path: `/games/${game.vanityName}` }
}
