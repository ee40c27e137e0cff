import type { Notices } from '../../features/community/notices/model.ts'
import { toPrintableLine } from '../../lib/text/characters.ts'
import { plural } from '../../lib/text/show.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { signInHint } from '../player/player-api.ts'
import { connectPlayer, findServer } from '../player/sign-in.ts'
import { formatTable } from '../ui/progress.ts'

interface NoticesOptions {
  server?: string
  unread?: boolean
  markRead?: boolean
}

/** The newest notices of the player; `--mark-read` marks all up to the newest one that was listed. */
export async function notices(
  context: Context,
  { server: flag, unread: unreadOnly = false, markRead = false }: NoticesOptions,
): Promise<void> {
  const { output } = context
  const server = await findServer(context, flag)
  const player = await connectPlayer(context, server, { isPatient: false, flag })
  if (!player.isSignedIn) throw new CliError('credentials', 'You are not signed in.', signInHint(server))
  const found = await player.readNotices(unreadOnly)
  const { items, next_cursor } = found
  const newest = items[0]
  const isMarked = markRead && newest !== undefined
  const unread = isMarked ? await player.markNoticesRead(newest.at) : found.unread
  output.result(items.length === 0 ? 'No notices.' : formatNotices(items))
  if (next_cursor !== null) output.note(`The newest ${items.length}. All are at ${server}/notices.`)
  output.result(isMarked ? 'Marked as read.' : `${plural(unread, 'unread notice')}.`)
  output.json({ ...found, unread, marked: isMarked })
}

function formatNotices(items: Notices['items']): string {
  const rows = items.map(({ read, at, kind, game, title, count }) => [
    read ? '' : '*',
    at.slice(0, 16).replace('T', ' '),
    kind,
    toPrintableLine(game?.name ?? ''),
    toPrintableLine(title) + (count === 1 ? '' : ` (and ${count - 1} more)`),
  ])
  return formatTable(['', 'AT', 'KIND', 'GAME', 'NOTICE'], rows)
}
