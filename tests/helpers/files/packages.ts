import type { LibraryPage } from '../../../src/features/asset-library/model.ts'
import { type FileRow, insertBuild, insertFile } from '../builds.ts'
import { type GameRow, insertPublicGame } from '../listings.ts'
import { type Person, randomAddress } from '../people.ts'
import { settle } from '../releases.ts'
import { indexNow } from '../search/search.ts'
import type { TestServer } from '../server.ts'

export const LIBRARY = '/api/v1/public/asset-library'
export const ZIP = new TextEncoder().encode('PK, and so on')

type GameValues = Parameters<typeof insertPublicGame>[2]

export interface InsertedPackage {
  game: GameRow
  file: FileRow
}

export function godot(min_version: string, max_version: string) {
  return { engine: 'godot', min_version, max_version, renderer: null, platform: null }
}

/** A free plugin for Godot 3.2 to 4.6 with a clean stable file, which searches do not find before `indexNow`. */
export async function insertPackage(
  server: TestServer,
  owner: Person,
  values: GameValues = {},
  file: Parameters<typeof insertFile>[2] = {},
): Promise<InsertedPackage> {
  const game = await insertPublicGame(server, owner, {
    assetType: 'plugin',
    anonymousDownloads: (values.priceCents ?? 0) === 0,
    licenseKind: 'cc0',
    parentExternalName: 'Godot',
    parentExternalUrl: 'https://godotengine.org',
    tags: ['editor', 'grid', 'levels'],
    engineCompat: [godot('3.2', '4.6')],
    ...values,
  })
  return { game, file: await releasePackage(server, game.uid, '1.0.0', file) }
}

export async function releasePackage(
  server: TestServer,
  gameUid: string,
  version: string,
  values: Parameters<typeof insertFile>[2] = {},
): Promise<FileRow> {
  const build = await insertBuild(server, gameUid, { version })
  const file = await insertFile(server, build, values)
  await server.deps.objects.put(file.objectKey, ZIP)
  await settle(server, build)
  return file
}

/** Inserts packages and indexes them. */
export async function offerPackages(
  server: TestServer,
  owner: Person,
  ...packages: GameValues[]
): Promise<InsertedPackage[]> {
  const inserted: InsertedPackage[] = []
  for (const values of packages) inserted.push(await insertPackage(server, owner, values))
  await indexNow(server, ...inserted.map(({ game }) => game.uid))
  return inserted
}

/** Each request comes from another address, to stay below the limits. */
export async function askLibrary(
  server: TestServer,
  path: string,
  headers: Record<string, string> = {},
  base = LIBRARY,
): Promise<Response> {
  return await server.fetch(base + path, { headers: { 'x-forwarded-for': randomAddress(), ...headers } })
}

/** The body of a successful answer, which has no envelope. */
export async function readRaw<Body>(answer: Response): Promise<Body> {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** The titles of a search, in order. */
export async function listTitles(
  server: TestServer,
  query: string,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const page = await readRaw<LibraryPage>(await askLibrary(server, `/asset?${query}`, headers))
  return page.result.map(({ title }) => title)
}
