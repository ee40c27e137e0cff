import { formatBytes } from '../../lib/text/byte-sizes.ts'
import { createShortWait } from '../api/retry.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { type Installed, listInstalled } from '../install/open.ts'
import { connectPlayer } from '../player/connect.ts'
import { formatTable } from '../ui/format.ts'
import { findTarget } from './update.ts'

/** A list is of use without newer versions too. */
const SERVER_WAIT_MS = 5000

/** Lists what is installed. The newer versions are left out where the server does not tell. */
export async function list(context: Context): Promise<void> {
  const { output } = context
  const rows: {
    game: string
    name: string
    version: string
    size: number
    folder: string
    newer: string | null
  }[] = []
  const silent = new Set<string>()
  const wait = createShortWait(SERVER_WAIT_MS)
  for (const one of await listInstalled(context)) {
    const { record, folder } = one
    const { game, version, files } = record
    const size = files.reduce((sum, file) => sum + file.size, 0)
    const newer = silent.has(record.server) ? null : await findNewer(context, one, silent, wait())
    rows.push({ game: game.vanity_name, name: game.name, version, size, folder, newer })
  }
  const cells = rows.map(({ game, version, size, newer, folder }) => [
    game,
    version,
    newer ?? '',
    formatBytes(size),
    folder,
  ])
  output.result(
    rows.length === 0
      ? 'Nothing is installed.'
      : formatTable(['GAME', 'VERSION', 'NEWER', 'SIZE', 'FOLDER'], cells),
  )
  output.json({ installed: rows })
}

/** Adds servers that do not respond to `silent`: they are waited for once. */
async function findNewer(
  context: Context,
  one: Installed,
  silent: Set<string>,
  wait: { giveUpAfterMs: number },
): Promise<string | null> {
  try {
    const player = await connectPlayer(context, one.record.server, wait)
    const { build, file } = await findTarget(player, one)
    return file.file_uid === one.record.file_uid ? null : build.version
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof CliError)) throw error
    if (error.exit === 'unreachable') silent.add(one.record.server)
    context.output.note(`${one.record.game.name}: ${error.message}`)
    return null
  }
}
