import { type BuildRow, insertBuild, pointChannel } from './builds.ts'
import { makeZip, type ZipPart } from './files/zips.ts'
import { runScanNow, storeFile } from './scans.ts'
import type { TestServer } from './server.ts'

type BuildValues = Parameters<typeof insertBuild>[2]

/** Sends a request to the origin of a game, as a browser with these headers; nothing is decompressed. */
export async function visit(
  server: Pick<TestServer, 'url' | 'port'>,
  gameUid: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> {
  return await ask(server, `${gameUid}.localhost:${server.port}`, path, headers, method)
}

/** The same with any host. */
export async function ask(
  { url }: Pick<TestServer, 'url'>,
  host: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> {
  return await fetch(url + path, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers, host },
    redirect: 'manual',
    decompress: false,
  })
}

export const PAGE = '<!doctype html><title>A game</title>'

/** The files of a small game, some stored and some deflated. */
export const GAME_FILES: readonly ZipPart[] = [
  { name: 'index.html', data: PAGE.repeat(20) },
  { name: 'game.js', data: 'start()'.repeat(100) },
  { name: 'game.wasm', data: Buffer.alloc(50_000, 'wasm '), method: 0 },
]

/** Releases a web build as an upload and its scan do, and points its channel at it. */
export async function releaseWeb(
  server: TestServer,
  gameUid: string,
  parts: readonly ZipPart[] = GAME_FILES,
  values: BuildValues = {},
): Promise<BuildRow & { fileUid: string }> {
  const build = await insertBuild(server, gameUid, { os: 'web', arch: 'wasm32', ...values })
  const file = await storeFile(server, build, makeZip(parts))
  await runScanNow(server, file.uid)
  await pointChannel(server, build)
  return { ...build, fileUid: file.uid }
}

/** The pin that an answer sets, ready to be sent back. */
export function pinOf(answer: Response): { cookie: string } {
  const [cookie = ''] = answer.headers.getSetCookie()
  return { cookie: cookie.split(';', 1)[0] ?? '' }
}
