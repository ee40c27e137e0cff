import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approval-requests.ts'
import { changeGame } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { lockJam, requireOpen, tellTime } from '../access.ts'
import { enter, requireNote } from './service.ts'

/** Mails the owner once per jam, however often the program asks. Refused at once where it could not be approved. */
export async function requestEntry(
  deps: Deps,
  agent: Agent,
  jamRef: string,
  gameRef: string,
  note = '',
): Promise<void> {
  requireNote(note)
  await changeGame(deps.db, agent, gameRef, 'edit', async (tx, game) => {
    const { jam, now } = await lockJam(tx, agent, jamRef, 'share')
    requireOpen(jam, 'submit', now)
    const open = await listOpenRequests(tx, game.uid, 'jam_entry')
    if (open.some(({ request }) => request.jamUid === jam.uid)) return
    const asked = { kind: 'jam_entry', jamUid: jam.uid, entryNote: note } as const
    await askOwner(deps, tx, agent, game, asked, (owner, request) =>
      entryMail(owner, { listing: game.name, jam: jam.title, endsAt: jam.endsAt, ...request }),
    )
  })
}

/** Enters what the owner approved, for whom the program acted. The moment of the approval counts. */
export async function approveEntry(
  _: Deps,
  tx: Transaction,
  { request }: OpenRequest,
  arrival: Date,
): Promise<void> {
  const { gameUid, jamUid, entryNote, requestedBy } = request
  const game = await lockWholeGame(tx, gameUid)
  if (!game || jamUid === null) throw new AppError('not_found')
  const entrant = { userUid: requestedBy, actor: null }
  await enter(tx, entrant, jamUid, game, { note: entryNote ?? '' }, arrival)
}

interface AskedEntry {
  listing: string
  jam: string
  endsAt: Date
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

function entryMail(to: Recipient, asked: AskedEntry): MailMessage {
  const { listing, jam, endsAt, askedBy, link, hours } = asked
  return composeMail(
    to,
    'Approve an entry into a jam',
    [
      `A program (${withoutLinks(askedBy)}) wants to enter "${withoutLinks(listing)}" into the jam "${withoutLinks(jam)}". Open this page to approve or reject it:`,
      link,
      `The jam takes entries until ${tellTime(endsAt)}, so approve it before. The link can be used once, within ${hours} hours.`,
    ],
    { label: 'See the entry', url: link },
  )
}
