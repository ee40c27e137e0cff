import { NO_ANTIVIRUS } from '../../domain/builds/files.ts'
import { readContent } from '../../lib/zip/entry-stream.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import type { Denylist } from './denylist.ts'
import { NestedZip, type OpenedZip } from './nested-zip.ts'
import { createPatternFinder } from './pattern-finder.ts'
import type { Scanner, Verdict } from './scanner.ts'

/** Reversed, so that virus scanners do not detect this program as the test file. */
const EICAR = Buffer.from('*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X').reverse()

const CLEAN: Verdict = { verdict: 'clean', detail: null }
const DENIED: Verdict = { verdict: 'infected', detail: 'A file on the deny list of this service' }
const TEST_FILE: Verdict = { verdict: 'infected', detail: 'EICAR test file' }

/** Detects the EICAR test file and files on the deny list, also in nested zips, one level deep. */
export function createBuiltinScanner(denylist: Denylist): Scanner {
  return {
    readEngine: () => Promise.resolve(NO_ANTIVIRUS),
    async scan(content, { signal, nested: budget } = {}) {
      const denied = await denylist.read()
      const nested = new NestedZip()
      const outside = await look(content, denied, (piece) => {
        signal?.throwIfAborted()
        nested.keep(piece)
      })
      return outside.verdict === 'infected'
        ? outside
        : await lookInto(await nested.open(budget), denied, signal)
    },
    async findKnown(sha256) {
      return (await denylist.read()).has(sha256) ? DENIED : null
    },
    async check() {
      await denylist.read()
    },
    async dispose() {},
  }
}

async function look(
  content: AsyncIterable<Uint8Array>,
  denied: ReadonlySet<string>,
  onPiece: (piece: Uint8Array) => void,
): Promise<Verdict> {
  const holdsEicar = createPatternFinder(EICAR)
  const hasher = denied.size > 0 ? new Bun.CryptoHasher('sha256') : null
  for await (const piece of content) {
    onPiece(piece)
    if (holdsEicar(piece)) return TEST_FILE
    hasher?.update(piece)
  }
  return hasher && denied.has(hasher.digest('hex')) ? DENIED : CLEAN
}

async function lookInto(
  zip: OpenedZip | null,
  denied: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Verdict> {
  if (!zip) return CLEAN
  for (const entry of zip.entries) {
    try {
      const found = await look(readContent(zip.reader, entry), denied, () => signal?.throwIfAborted())
      if (found.verdict === 'infected') return found
    } catch (error) {
      // A damaged entry cannot be unpacked by anyone else either.
      if (!(error instanceof ZipError)) throw error
    }
  }
  return CLEAN
}
