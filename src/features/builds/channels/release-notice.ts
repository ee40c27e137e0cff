import type { Transaction } from '../../../db/client.ts'
import { SYSTEM_NAMES } from '../../../domain/builds/platforms.ts'
import { changelogPath } from '../../../domain/site-urls.ts'
import { recordNotice, recordReleased } from '../../games/notice-events.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import type { BuildRow } from '../shared-queries.ts'

/** Tells the followers of a build that is on stable for the first time, once for each system of a version. */
export async function recordRelease(
  tx: Transaction,
  build: BuildRow,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  const { gameUid, version, os, title, changelogItems } = build
  const game = await lockWholeGame(tx, gameUid)
  if (!game) return
  const text = title.trim()
  await recordNotice(tx, {
    kind: 'release',
    gameUid,
    developerUid: game.ownerUid,
    platforms: [os],
    facts: {
      title: `${version} for ${SYSTEM_NAMES[os]}`,
      version,
      ...(text !== '' && text !== version && { text }),
      ...(changelogItems.length > 0 && { path: changelogPath(game.vanityName) }),
    },
    onceKey: `release ${gameUid} ${os} ${version}`,
  })
  if (isFirst && game.status === 'released') await recordReleased(tx, game)
}
