import type { Deps } from '../../../deps.ts'
import type { CrashFrame, StackFrame } from '../../../domain/crash-frames.ts'
import { AppError } from '../../../errors.ts'
import { findSymbols, type SymbolHit } from '../../../lib/breakpad.ts'
import { showFrame } from './service.ts'
import { listSymbolFiles, listUnreadGroups, storeStack, type UnreadGroup } from './symbol-queries.ts'

const GROUPS = 200
const FILES_MAX = 200
/** Symbols of the last minute are read again: they may have been stored but not committed at the last run. */
const OVERLAP_MS = 60_000

type Hits = ReadonlyMap<number, SymbolHit>

/** Symbolicates stacks. Each symbol file is read once for all stacks that need it. */
export async function symbolicateGroups(deps: Deps, now: Date, signal?: AbortSignal): Promise<number> {
  const groups = await listUnreadGroups(deps.db, GROUPS)
  const readAt = new Date(now.getTime() - OVERLAP_MS)
  for (const [buildUid, ofBuild] of Map.groupBy(groups, (group) => group.buildUid)) {
    const hits = await readSymbols(deps, buildUid, ofBuild, signal)
    for (const group of ofBuild) {
      const stack = group.frames.map((frame) => resolve(frame, hits.get(nameOf(frame.module))))
      await storeStack(deps.db, group, stack, readAt)
    }
  }
  return groups.length
}

/** By module name. */
async function readSymbols(
  { db, store }: Deps,
  buildUid: string,
  groups: readonly UnreadGroup[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Hits>> {
  const frames = groups.flatMap((group) => group.frames)
  const wanted = Map.groupBy(frames, ({ module }) => nameOf(module))
  const hits = new Map<string, Hits>()
  for (const { module, objectKey } of await listSymbolFiles(db, buildUid, FILES_MAX)) {
    const name = nameOf(module)
    const positions = wanted.get(name)
    if (!positions || hits.has(name)) continue
    signal?.throwIfAborted()
    const open = async () => (await store.get(objectKey)).stream
    const offsets = positions.map(({ offset }) => offset)
    try {
      hits.set(name, await findSymbols(open, offsets))
    } catch (error) {
      // The file was deleted meanwhile. If the store is down, the job fails and runs again in a minute.
      if (!(error instanceof AppError && error.kind === 'not_found')) throw error
    }
  }
  return hits
}

function resolve(frame: CrashFrame, hits: Hits | undefined): StackFrame {
  const hit = hits?.get(frame.offset)
  return hit ? { module: frame.module, offset: frame.offset, ...hit } : showFrame(frame)
}

/** `C:\Games\Lantern.exe` crashed, `lantern.pdb` was uploaded: both are `lantern`. */
function nameOf(module: string): string {
  const file = module.split(/[/\\]/).at(-1) ?? module
  return file.toLowerCase().replace(/\.(exe|dll|pdb|so|dylib|wasm)$/, '')
}
