import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approvals.ts'
import type { GameRow } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import type { BuildRow } from '../shared-queries.ts'
import { requireClean } from './builds.ts'
import { approvalMail } from './mails.ts'
import { promoteBuild } from './moves.ts'

/** Needs the game's lock. Mails the owner once per build, however often the agent asks. */
export async function requestPromotion(
  deps: Deps,
  tx: Transaction,
  agent: Agent,
  game: GameRow,
  build: BuildRow,
): Promise<void> {
  await requireClean(tx, build)
  const open = await listOpenRequests(tx, game.uid, 'promotion')
  if (open.some(({ request }) => request.buildUid === build.uid)) return
  const asked = { kind: 'promotion', channel: STABLE, buildUid: build.uid } as const
  await askOwner(deps, tx, agent, game, asked, (owner, request) =>
    approvalMail(owner, {
      listing: game.name,
      version: build.version,
      platform: `${build.os} ${build.arch}`,
      ...request,
    }),
  )
}

/** Refused while the build has a file that is not clean; the request then stays open. */
export async function approvePromotion(tx: Transaction, { request }: OpenRequest): Promise<void> {
  const { gameUid, buildUid, channel, askedBy } = request
  const build = await requireBuild(tx, gameUid, buildUid ?? '')
  await promoteBuild(tx, build, channel ?? STABLE, askedBy)
}
