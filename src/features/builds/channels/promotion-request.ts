import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approval-requests.ts'
import type { GameRow } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import type { BuildRow } from '../shared-queries.ts'
import { promoteBuild, requireClean } from './moves.ts'

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

interface AskedPromotion {
  listing: string
  version: string
  platform: string
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

function approvalMail(to: Recipient, asked: AskedPromotion): MailMessage {
  const { listing, version, platform, askedBy, link, hours } = asked
  return composeMail(
    to,
    'Approve the release of a build',
    [
      `A program (${withoutLinks(askedBy)}) wants to release version ${withoutLinks(version)} of "${withoutLinks(listing)}" for ${platform} to all players, by making it the stable build. Open this page to approve or reject the release:`,
      link,
      `The link can be used once, within ${hours} hours. Nothing is released until you approve.`,
    ],
    { label: 'See the release', url: link },
  )
}
