import { statfs } from 'node:fs/promises'

import { formatBytes } from '../../lib/text/show.ts'
import { CliError, codeOf, toCliError } from '../cli-error.ts'

/** For the record and what the file system needs for itself. */
const SPARE = 4 * 1024 ** 2

/** Stops before the first byte where there is no room for all of them. */
export async function requireRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (needed + SPARE <= free) return
  throw new CliError(
    'unexpected',
    `There is no room in ${folder}: ${formatBytes(needed)} are needed, ${formatBytes(free)} are free.`,
    { hint: 'Free some space, or choose another folder with --into. Nothing was changed.' },
  )
}

/** Errors of the disk, in the words of an installation. */
export function toInstallError(error: unknown, folder: string): unknown {
  const code = String(codeOf(error))
  // Errors of the lock files; SQLite has several codes of each kind.
  switch (/^SQLITE_(?:CANTOPEN|READONLY)/.test(code) ? 'EACCES' : code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new CliError('unexpected', `The disk of ${folder} is full.`, {
        hint: 'The installed version is unchanged. Free some space and run the same command again: what was fetched is kept.',
        cause: error,
      })
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new CliError('files', `${folder} cannot be written to.`, {
        hint: 'Change its permissions, or choose another folder with --into.',
        cause: error,
      })
    case 'EBUSY':
    case 'ETXTBSY':
      return new CliError('files', 'A file of the game is in use.', {
        hint: 'Close the game and run the same command again: nothing is fetched twice.',
        cause: error,
      })
    default:
      return error instanceof Error && 'code' in error && !(error instanceof CliError)
        ? toCliError(error)
        : error
  }
}
