import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { CrashFrame, StackFrame } from '../../../domain/builds/health.ts'
import { AppError } from '../../../errors.ts'
import { enqueue, listPendingKeys } from '../../../jobs/queue.ts'
import { findSymbols, type SymbolHit } from '../../../lib/breakpad.ts'
import { symbolicateGame } from '../jobs.ts'
import {
  listSymbolFiles,
  listUnreadGames,
  listUnreadGroups,
  storeStack,
  type UnreadGroup,
} from './queries.ts'
import { toFrame } from './service.ts'

const GAMES = 500
const GROUPS = 200
const FILES_MAX = 200
/** Bytes of symbols read per build; modules beyond that are not symbolicated. */
const READ_BYTES_MAX = 2 * 1024 ** 3
/** After this time a job leaves the remaining builds of its listing to the next job. */
const TURN_MS = 10_000
/** Symbols of the last minute are read again: they may have been stored but not committed at the last run. */
const OVERLAP_MS = 60_000

type Hits = ReadonlyMap<number, SymbolHit>

/** Skips listings with a pending or running job, so that at most one runs per listing. */
export async function queueSymbolication(db: Db): Promise<void> {
  const pending = await listPendingKeys(db, symbolicateGame)
  for (const game of await listUnreadGames(db, GAMES)) {
    const key = `symbols:${game.gameUid}`
    if (!pending.has(key)) await enqueue(db, symbolicateGame, game, { key })
  }
}

/** Symbolicates stacks of a listing. Each symbol file is read once for all stacks that need it. */
export async function symbolicateGroups(
  deps: Deps,
  gameUid: string,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const groups = await listUnreadGroups(deps.db, gameUid, GROUPS)
  const readAt = new Date(now.getTime() - OVERLAP_MS)
  const endsAt = performance.now() + TURN_MS
  let done = 0
  for (const [buildUid, ofBuild] of Map.groupBy(groups, (group) => group.buildUid)) {
    if (done > 0 && performance.now() > endsAt) break
    const hits = await loadSymbols(deps, buildUid, ofBuild, signal)
    for (const group of ofBuild) {
      const stack = group.frames.map((frame) => resolve(frame, hits.get(nameOf(frame.module))))
      await storeStack(deps.db, group, stack, readAt)
    }
    done += ofBuild.length
  }
  return done
}

/** By module name. */
async function loadSymbols(
  { db, objects }: Deps,
  buildUid: string,
  groups: readonly UnreadGroup[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Hits>> {
  const frames = groups.flatMap((group) => group.frames)
  const wanted = Map.groupBy(frames, ({ module }) => nameOf(module))
  const hits = new Map<string, Hits>()
  let left = READ_BYTES_MAX
  for (const { module, objectKey, size } of await listSymbolFiles(db, buildUid, FILES_MAX)) {
    const name = nameOf(module)
    const positions = wanted.get(name)
    if (!positions || hits.has(name) || size > left) continue
    left -= size
    const open = async () => (await objects.get(objectKey)).stream
    const offsets = positions.map(({ offset }) => offset)
    try {
      hits.set(name, await findSymbols(open, offsets, signal))
    } catch (error) {
      // The file was deleted meanwhile. If the store is down, the job fails and runs again in a minute.
      if (!(error instanceof AppError && error.kind === 'not_found')) throw error
    }
  }
  return hits
}

function resolve(frame: CrashFrame, hits: Hits | undefined): StackFrame {
  const hit = hits?.get(frame.offset)
  return hit ? { module: frame.module, offset: frame.offset, ...hit } : toFrame(frame)
}

/** `C:\Games\Lantern.exe` crashed, `lantern.pdb` was uploaded: both are `lantern`. */
function nameOf(module: string): string {
  const file = module.split(/[/\\]/).at(-1) ?? module
  return file.toLowerCase().replace(/\.(exe|dll|pdb|so|dylib|wasm)$/, '')
}
