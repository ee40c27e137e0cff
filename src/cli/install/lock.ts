import { Database } from 'bun:sqlite'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { CliError, codeOf } from '../cli-error.ts'
import { lookAt } from './record.ts'

const POLL_MS = 200

/** `shared` excludes only `exclusive`. */
export type LockKind = 'exclusive' | 'shared'

/** A folder that cannot be written to needs no lock: no update can be put in place in it. */
const UNNEEDED: Disposable = { [Symbol.dispose]: () => undefined }

/**
 * Locks a file until disposed; null if another process has it. SQLite's locks are released by the system when
 * a process dies, on Linux, macOS and Windows alike; a file with a process id would stay behind.
 */
export async function tryLock(path: string, kind: LockKind = 'exclusive'): Promise<Disposable | null> {
  await mkdir(dirname(path), { recursive: true })
  // Nothing is ever written to a lock. SQLite would follow what a foreign journal says, and delete files that it names.
  for (const suffix of ['-journal', '-wal', '-shm'])
    if (await lookAt(path + suffix)) await rm(path + suffix, { force: true })
  const database = openDatabase(path, kind)
  if (!database) return UNNEEDED
  try {
    database.run('pragma busy_timeout = 0')
    if (kind === 'exclusive') database.run('begin exclusive')
    else {
      database.run('begin')
      database.query('select count(*) from sqlite_schema').get()
    }
    return { [Symbol.dispose]: () => database.close() }
  } catch (error) {
    database.close()
    const code = String(codeOf(error))
    if (code.startsWith('SQLITE_BUSY')) return null
    if (!/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) throw error
    const hint = 'Remove it, then run the same command again.'
    throw new CliError('files', `${path} is damaged.`, { hint, cause: error })
  }
}

function openDatabase(path: string, kind: LockKind): Database | null {
  try {
    return new Database(path, { create: true, readwrite: true })
  } catch (error) {
    if (kind === 'shared' && codeOf(error) === 'SQLITE_CANTOPEN') return null
    throw error
  }
}

/** Waits for the lock; `onWait` is called once if it is not free. */
export async function lock(
  path: string,
  { signal, onWait, kind = 'exclusive' }: { signal: AbortSignal; onWait: () => void; kind?: LockKind },
): Promise<Disposable> {
  for (let isFirst = true; ; isFirst = false) {
    const held = await tryLock(path, kind)
    if (held) return held
    if (isFirst) onWait()
    await sleep(POLL_MS, undefined, { signal })
  }
}
