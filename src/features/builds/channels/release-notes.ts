import type { Transaction } from '../../../db/client.ts'
import { MAIN_APP } from '../../../domain/builds/channels.ts'
import type { BuildRow } from '../shared-queries.ts'
import { insertNotes, wasStable } from './release-notes-queries.ts'

/**
 * Needs the game's lock; call it before stable moves to the build. The first time it does, the notes of the build
 * become an entry of the changelog: one for all platforms of a version, and none for other apps than the game.
 */
export async function publishNotes(tx: Transaction, build: BuildRow): Promise<void> {
  const { gameUid, app, version, title, description, changelogItems } = build
  if (app !== MAIN_APP || changelogItems.length === 0 || (await wasStable(tx, build.uid))) return
  await insertNotes(tx, {
    gameUid,
    version,
    body: description,
    items: changelogItems,
    title: title.trim() || version,
  })
}
