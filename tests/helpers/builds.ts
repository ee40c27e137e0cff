import {
  apps,
  builds,
  channelMoves,
  channelPointers,
  fileEntries,
  files,
} from '../../src/db/schema/builds.ts'
import { deployKeys } from '../../src/db/schema/deploy-keys.ts'
import { MAIN_APP } from '../../src/domain/builds/channels.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { createUid } from '../../src/lib/ids.ts'
import type { TestServer } from './server.ts'

export type BuildRow = typeof builds.$inferSelect
export type FileRow = typeof files.$inferSelect

/** Inserts a build directly into the table, by default for the main app. */
export async function insertBuild(
  server: TestServer,
  gameUid: string,
  values: Partial<typeof builds.$inferInsert> = {},
  app: string = MAIN_APP,
): Promise<BuildRow> {
  const { db } = server.deps
  const [row] = await db
    .insert(apps)
    .values({ gameUid, slug: app, name: app })
    .onConflictDoUpdate({ target: [apps.gameUid, apps.slug], set: { slug: app } })
    .returning()
  const [build] = await db
    .insert(builds)
    .values({
      gameUid,
      appUid: row?.uid ?? '',
      version: '1.0.0',
      buildType: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      ...values,
    })
    .returning()
  if (!build) throw new Error('The build was not stored')
  return build
}

/** Inserts a file, clean by default; no object is stored for it. */
export async function insertFile(
  server: TestServer,
  build: BuildRow,
  values: Partial<typeof files.$inferInsert> = {},
  entries: { path: string; size: number; sha256: string }[] = [],
): Promise<FileRow> {
  const uid = createUid()
  const { db } = server.deps
  const [file] = await db
    .insert(files)
    .values({
      uid,
      gameUid: build.gameUid,
      buildUid: build.uid,
      filename: 'game.zip',
      size: 1000,
      checksum: sha256Hex(uid),
      objectKey: `builds/${build.gameUid}/${uid}.zip`,
      scan: 'clean',
      source: 'website',
      ...values,
    })
    .returning()
  if (!file) throw new Error('The file was not stored')
  if (entries.length > 0) {
    await db.insert(fileEntries).values(entries.map((entry) => ({ ...entry, fileUid: file.uid })))
  }
  return file
}

export interface DeployPair {
  'x-access-token': string
  'x-secret-key': string
}

/** Returns the headers of a valid deploy key of the game. */
export async function issueDeployKey(server: TestServer, gameUid: string): Promise<DeployPair> {
  const [accessToken, secret] = [crypto.randomUUID(), crypto.randomUUID()]
  await server.deps.db.insert(deployKeys).values({ gameUid, accessToken, secretHash: sha256Hex(secret) })
  return { 'x-access-token': accessToken, 'x-secret-key': secret }
}

/** Points the channel at the build, replacing any earlier build. */
export async function pointChannel(
  server: TestServer,
  build: BuildRow,
  channel: string = build.channel,
): Promise<void> {
  const { gameUid, appUid, os, arch } = build
  const slot = { gameUid, appUid, channel, os, arch }
  const moveUid = createUid()
  const { db } = server.deps
  await db.insert(channelMoves).values({
    ...slot,
    uid: moveUid,
    kind: 'promote',
    toBuildUid: build.uid,
    toVersion: build.version,
    movedBy: 'a test',
  })
  await db
    .insert(channelPointers)
    .values({ ...slot, buildUid: build.uid, moveUid })
    .onConflictDoUpdate({
      target: [channelPointers.appUid, channelPointers.channel, channelPointers.os, channelPointers.arch],
      set: { buildUid: build.uid, moveUid },
    })
}
