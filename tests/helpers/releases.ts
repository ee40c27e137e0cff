import { settleChannel } from '../../src/features/builds/channels/moves.ts'
import { type BuildRow, insertBuild, insertFile } from './builds.ts'
import { readData } from './json.ts'
import type { Person } from './people.ts'
import type { TestServer } from './server.ts'

export interface Pointer {
  channel: string
  app: string
  app_name: string
  os: string
  arch: string
  build_id: string
  version: string
  moved_at: string
  moved_by: string
  previous_build_id: string | null
}

export interface HistoryItem extends Omit<Pointer, 'build_id' | 'version' | 'previous_build_id'> {
  kind: string
  from_build_id: string | null
  from_version: string | null
  to_build_id: string | null
  to_version: string
}

type BuildValues = Parameters<typeof insertBuild>[2]

/** Runs the step that follows when a file of the build becomes clean. */
export async function settle(server: TestServer, build: BuildRow): Promise<void> {
  await server.deps.db.transaction((tx) => settleChannel(tx, build.uid, 'deploy key …abcd'))
}

/** Creates a build with a clean file, in the state after its scan. */
export async function release(
  server: TestServer,
  gameUid: string,
  values: BuildValues = {},
  app?: string,
): Promise<BuildRow> {
  const build = await insertBuild(server, gameUid, values, app)
  await insertFile(server, build)
  await settle(server, build)
  return build
}

export async function readPointers(person: Person, gameUid: string): Promise<Pointer[]> {
  const answer = await person.fetch(`/api/v1/private/games/${gameUid}/channels?page_size=50`)
  return (await readData<{ items: Pointer[] }>(answer)).items
}

/** Returns `linux 1.0.0` for each platform of a channel, in order. */
export async function readVersions(
  person: Person,
  gameUid: string,
  channel = 'stable',
  app = 'main',
): Promise<string[]> {
  const pointers = await readPointers(person, gameUid)
  return pointers
    .filter((pointer) => pointer.channel === channel && pointer.app === app)
    .map(({ os, version }) => `${os} ${version}`)
}

export async function readHistory(person: Person, gameUid: string): Promise<HistoryItem[]> {
  const answer = await person.fetch(`/api/v1/private/games/${gameUid}/channels/history?page_size=50`)
  return (await readData<{ items: HistoryItem[] }>(answer)).items
}

export async function promote(
  person: Person,
  gameUid: string,
  build: BuildRow,
  channel = 'stable',
): Promise<Response> {
  return await person.json('POST', `/api/v1/private/games/${gameUid}/channels/${channel}/promote`, {
    build_id: build.uid,
  })
}

export async function rollBack(person: Person, gameUid: string, channel = 'stable', app?: string) {
  const path = `/api/v1/private/games/${gameUid}/channels/${channel}/rollback`
  return await person.json('POST', path, app === undefined ? {} : { app })
}
