import {
  type ClamdAddress,
  type ClamdConnection,
  commandOf,
  createClamdPool,
  nameOf,
  openClamd,
} from './clamd-connection.ts'
import { type Scanner, ScannerError, type Verdict } from './scanner.ts'

const MB = 1024 ** 2

interface ClamdOptions {
  connections?: number
  connectTimeoutMs?: number
  answerTimeoutMs?: number
  /** clamd skips files of 2 GiB and more, so longer ones are sent as several parts that overlap by 64 KB. */
  partSize?: number
}

/** As many as scans run at once in a process (`LANES.scans`): a scan holds one while it sends an entry. */
const CONNECTIONS = 4
/** A signature cut off at the end of a part is found in the next one, if it is no longer than this. */
const OVERLAP = 64 * 1024
const LENGTH_SIZE = 4
const INSTREAM = commandOf('INSTREAM')
/** Above this size, copying a piece to send it together with its length is not worthwhile. */
const COPY_MAX = 64 * 1024

/** Streams files to clamd over TCP or a Unix socket (INSTREAM). clamd unpacks archives itself. */
export function createClamdScanner(address: ClamdAddress, options: ClamdOptions = {}): Scanner {
  const partSize = options.partSize ?? 2000 * MB
  const timeouts = {
    connectMs: options.connectTimeoutMs ?? 10_000,
    answerMs: options.answerTimeoutMs ?? 10 * 60_000,
  }
  const pool = createClamdPool(() => openClamd(address, timeouts), options.connections ?? CONNECTIONS)

  return {
    async readEngine() {
      const answer = await pool.use((connection) => ask(connection, 'VERSION'))
      if (!answer.startsWith('ClamAV')) throw strange(address, answer)
      return answer
    },

    scan: (content, { signal } = {}) =>
      pool.use(async (connection) => {
        const stop = () => connection.close()
        signal?.addEventListener('abort', stop)
        try {
          signal?.throwIfAborted()
          return await scanParts(connection, content, partSize, address)
        } catch (error) {
          signal?.throwIfAborted()
          throw error
        } finally {
          signal?.removeEventListener('abort', stop)
        }
      }),

    findKnown: () => Promise.resolve(null),

    /** Uses its own connection, because all pooled ones may be busy for minutes. */
    async check() {
      const connection = await openClamd(address, timeouts)
      try {
        const answer = await ask(connection, 'PING')
        if (answer !== 'PONG') throw strange(address, answer)
      } finally {
        connection.close()
      }
    },

    async dispose() {
      pool.close()
    },
  }
}

async function ask(connection: ClamdConnection, command: string): Promise<string> {
  await connection.write(commandOf(command))
  return await connection.readAnswer()
}

async function scanParts(
  connection: ClamdConnection,
  content: AsyncIterable<Uint8Array>,
  partSize: number,
  address: ClamdAddress,
): Promise<Verdict> {
  let sent = 0
  let tail: Uint8Array = new Uint8Array(0)
  await connection.write(INSTREAM)
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      if (sent === partSize) {
        const verdict = await finishPart(connection, address)
        if (verdict.verdict === 'infected') return verdict
        await connection.write(INSTREAM)
        await sendPiece(connection, tail)
        sent = tail.length
      }
      const slice = piece.subarray(at, at + partSize - sent)
      await sendPiece(connection, slice)
      if (connection.hasAnswer()) return parseVerdict(await connection.readAnswer(), address)
      sent += slice.length
      at += slice.length
      tail = lastBytes(tail, slice)
    }
  }
  return await finishPart(connection, address)
}

/** The overlap with the next part, also when the pieces are smaller than it. */
function lastBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= OVERLAP) return piece.subarray(-OVERLAP)
  return Buffer.concat([before, piece]).subarray(-OVERLAP)
}

async function sendPiece(connection: ClamdConnection, piece: Uint8Array): Promise<void> {
  // A length of zero would end the stream.
  if (piece.length === 0) return
  const length = Buffer.alloc(LENGTH_SIZE)
  length.writeUInt32BE(piece.length)
  if (piece.length <= COPY_MAX) return await connection.write(Buffer.concat([length, piece]))
  await connection.write(length)
  await connection.write(piece)
}

async function finishPart(connection: ClamdConnection, address: ClamdAddress): Promise<Verdict> {
  await connection.write(Buffer.alloc(LENGTH_SIZE))
  return parseVerdict(await connection.readAnswer(), address)
}

function parseVerdict(answer: string, address: ClamdAddress): Verdict {
  if (answer === 'stream: OK') return { verdict: 'clean', detail: null }
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1]
  // With AlertExceedsMax, clamd reports its own limits as if they were viruses.
  if (found?.startsWith('Heuristics.Limits.Exceeded') || /size limit exceeded/i.test(answer)) {
    throw new ScannerError(
      'limit',
      'The virus scanner is not set up for files this large: the operator has to raise StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf.',
    )
  }
  if (found === undefined) throw strange(address, answer)
  return { verdict: 'infected', detail: found }
}

function strange(address: ClamdAddress, answer: string): ScannerError {
  return new ScannerError('answer', `clamd at ${nameOf(address)} answered "${answer.slice(0, 200)}"`)
}
