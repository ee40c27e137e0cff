import { on } from 'node:events'

import { isConnectionError } from '../errors.ts'
import { openSession } from '../pool/open-session.ts'

/** Message types in the backup stream, given by the first byte. */
const ARCHIVE = 'n'.charCodeAt(0)
const DATA = 'd'.charCodeAt(0)

/**
 * Streams a consistent copy of a running Postgres as one tar, using the same command as `pg_basebackup`.
 * Postgres skips temporary files, verifies checksums and includes the WAL needed to start from the copy.
 */
export async function* streamBaseBackup(url: string): AsyncGenerator<Uint8Array> {
  const client = openSession(url, 'backup', { connection: { replication: 'true' } })
  try {
    // Prevents the WAL from being recycled before it is copied. The slot is dropped with the session.
    const slot = `playshelf_backup_${crypto.randomUUID().replaceAll('-', '')}`
    await client.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`)
    const stream = await client
      .unsafe(`BASE_BACKUP (LABEL 'playshelf backup', CHECKPOINT 'fast', WAL true)`)
      .readable()
    // A reader that stops early closes the connection; that is not an error.
    stream.on('error', () => undefined)
    let archives = 0
    // Events preserve message boundaries; reading the stream would not.
    const messages = on(stream, 'data', { close: ['end'], highWaterMark: 32, lowWaterMark: 8 })
    for await (const [message] of messages) {
      if (!Buffer.isBuffer(message)) throw new TypeError('Postgres sent its backup in another form')
      if (message[0] === ARCHIVE) archives += 1
      if (archives > 1) throw new Error('A tablespace outside of the data folder cannot be backed up')
      if (message[0] === DATA) yield message.subarray(1)
    }
  } catch (cause) {
    if (isConnectionError(cause)) {
      throw new Error('The database was stopped while it was copied: start the backup again.', { cause })
    }
    throw cause
  } finally {
    await client.end({ timeout: 5 })
  }
}
