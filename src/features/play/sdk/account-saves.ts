import { toBytes } from './input.ts'
import { type ApiParts, Away, bytesOf, createSavesApi, dataOf, tagOf, toError } from './saves-api.ts'
import type { Kept, SteadyShelf } from './steady-shelf.ts'
import {
  type Conflict,
  type Decision,
  type ListedSave,
  type Place,
  SaveError,
  type Version,
} from './types.ts'

export interface AccountParts extends ApiParts {
  device: string
  shelf: SteadyShelf
  decide(conflict: Conflict): Promise<Decision>
  /** Called once the version of the account has taken the place of what the game knows. */
  replaced(): void
  /** Says on the page what became of writes: null when all are sent, `unkept` if a reload loses some. */
  note(state: 'away' | 'unkept' | 'full' | null): void
  /** Tells the work whether no other tab does the same. */
  alone(work: (isAlone: boolean) => Promise<void>): Promise<void>
}

/** Writes of a slot that wait; later ones replace the newest of them. */
const WAITING_MAX = 20
const SLOWEST_MS = 60_000
/** What no account can keep: an invalid request, and too many bytes. */
const UNFIT = new Set([4000, 4130])
/** A revision that is nowhere current. */
const LOST = '0'
/** Saves in the account of the player. A write is kept in this browser first, and sent from there. */
export function createAccountSaves(parts: AccountParts) {
  const { facts, device, shelf } = parts
  const api = createSavesApi(parts)
  const { call } = api
  /** The id of what this tab last read or wrote of a slot; null: there was nothing. */
  const seen = new Map<string, number | null>()
  /** Why the account refused what still waits. */
  const faults = new Map<number, SaveError>()
  let failures = 0
  /** Until the timer; not by the clock, which may be set back. */
  let isPaused = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  /** Looks and changes one after the other. */
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const result = turn.then(work)
    turn = result.catch(() => {})
    return result
  }

  const at = (slot: string, query = '') => `/${encodeURIComponent(slot)}${query}`

  async function list(): Promise<ListedSave[]> {
    const found = new Map<string, ListedSave>()
    const add = async (slots: readonly string[]) => {
      for (const slot of slots) {
        const kept = await shelf.newest(slot)
        if (kept) found.set(slot, { slot, size: kept.bytes.byteLength, at: kept.at })
      }
    }
    try {
      const response = await call('')
      if (!response.ok) throw await toError(response)
      for (const save of (await dataOf<{ slots: ListedSave[] }>(response)).slots) found.set(save.slot, save)
    } catch (error) {
      if (!(error instanceof Away)) throw error
      await add(await shelf.slots())
    }
    await add((await shelf.waiting()).map(([, slot]) => slot))
    return [...found.values()]
  }

  async function read(slot: string): Promise<ArrayBuffer | null> {
    // After the writes before it.
    const known = await inTurn(() => shelf.newest(slot))
    if (known?.waits !== undefined) return show(slot, known)
    const answer = await fetchSave(slot, known?.revision).catch((error: unknown) => {
      if (known && error instanceof Away) return null
      throw error
    })
    return await inTurn(async () => {
      const { response, bytes } = answer ?? {}
      const newest = await shelf.newest(slot)
      // Written meanwhile, or the store is away, or has the same.
      if (newest && (newest.id !== known?.id || !response || response.status === 304))
        return show(slot, newest)
      if (!response) return null
      if (bytes) {
        await adopt(slot, bytes, tagOf(response), new Date().toISOString())
        return bytes
      }
      if (response.status !== 404) throw await toError(response)
      if (newest?.id !== undefined) await shelf.remove([newest.id])
      seen.set(slot, null)
      return null
    })
  }

  async function fetchSave(slot: string, known: string | undefined) {
    const response = await call(
      at(slot),
      known === undefined ? {} : { headers: { 'if-none-match': `"${known}"` } },
    )
    return { response, bytes: response.status === 200 ? await bytesOf(response) : null }
  }

  function show(slot: string, { id = 0, bytes }: Kept): ArrayBuffer {
    seen.set(slot, id)
    return bytes
  }

  async function adopt(slot: string, bytes: ArrayBuffer, revision: string, at: string): Promise<void> {
    seen.set(slot, await shelf.put({ slot, bytes, at, base: null, revision, sent: slot }))
  }

  /** Resolves once it cannot be lost any more; what is only in memory is sent later, but told as an error. */
  async function write(slot: string, bytes: ArrayBuffer): Promise<Place> {
    const id = await inTurn(() => keep(slot, bytes))
    await flush()
    const fault = faults.get(id)
    if (fault) throw fault
    if ((await shelf.get(id))?.waits === undefined) return 'account'
    if (shelf.isLasting(id) || api.isEnded) return 'waiting'
    throw new SaveError(
      5031,
      'This save is not sent yet, and this browser does not keep it. It is lost if this page is closed before the store can be reached.',
    )
  }

  async function keep(slot: string, bytes: ArrayBuffer, isNew = false): Promise<number> {
    const kept: Kept = { slot, bytes, at: new Date().toISOString(), base: null, waits: slot }
    const before = (await shelf.waiting()).filter(([, other]) => other === slot)
    const [last] = before.at(-1) ?? []
    if (before.length >= WAITING_MAX && last !== undefined) {
      kept.id = last
      kept.base = (await shelf.get(last))?.base ?? LOST
    } else if (!isNew) {
      const id = seen.get(slot)
      const known = id === undefined ? await shelf.newest(slot) : await shelf.get(id ?? 0)
      kept.base = known ? (known.revision ?? known.id ?? null) : id ? LOST : null
    }
    const id = await shelf.put(kept)
    seen.set(slot, id)
    return id
  }

  let [wanted, done] = [0, 0]
  let flushing: Promise<void> | undefined

  /** Sends what waits, in order; ends early when the store is away, and goes on by itself later. */
  function flush(): Promise<void> {
    wanted += 1
    return (flushing ??= flushAlone())
  }

  async function flushAlone(): Promise<void> {
    try {
      await parts.alone((isAlone) => (isAlone ? sendAll() : flushLater(1000)))
    } finally {
      flushing = undefined
    }
    if (done !== wanted) await flush()
  }

  async function sendAll(): Promise<void> {
    done = wanted
    if (api.isEnded || isPaused) return
    /** Slots whose next write the account refused. */
    const held = new Set<string>()
    try {
      for (;;) {
        const waiting = await shelf.waiting()
        const [id, slot] = waiting.find(([, slot]) => !held.has(slot)) ?? []
        if (id === undefined || slot === undefined) break
        if (!(await sendNext(id, waiting))) held.add(slot)
        failures = 0
      }
      parts.note(held.size > 0 ? 'full' : null)
    } catch (error) {
      if (!(error instanceof Away)) throw error
      if (!api.isEnded) await pause(error.ms)
    }
  }

  /** The store may be back. */
  function wake(): Promise<void> {
    isPaused = false
    return flush()
  }

  async function flushLater(ms: number): Promise<void> {
    done = wanted
    clearTimeout(retry)
    retry = setTimeout(() => void wake().catch(() => {}), ms)
  }

  async function pause(ms?: number): Promise<void> {
    const wait = ms || Math.min(1000 * 2 ** (failures += 1), SLOWEST_MS)
    isPaused = true
    void flushLater(wait)
    const waiting = await shelf.waiting()
    parts.note(waiting.every(([id]) => shelf.isLasting(id)) ? 'away' : 'unkept')
  }

  /** Returns whether the slot can go on. */
  async function sendNext(id: number, waiting: readonly [id: number, slot: string][]): Promise<boolean> {
    const kept = await shelf.get(id)
    if (!kept) return true
    const isOld = waiting.some(([other, of]) => of === kept.slot && other > id)
    try {
      await send(kept, isOld)
      return true
    } catch (error) {
      if (!(error instanceof SaveError)) throw error
      faults.set(id, error)
      // Nothing that is only in this browser is dropped, except what no account can keep; the caller is told.
      if (!UNFIT.has(error.code)) return false
      await shelf.remove([id])
      return true
    }
  }

  async function send(kept: Kept, isOld: boolean): Promise<void> {
    const { slot, bytes, base } = kept
    const known = typeof base === 'number' ? ((await shelf.get(base))?.revision ?? LOST) : base
    const response = await put(slot, bytes, known)
    if (response.ok) return await settle(kept, tagOf(response))
    const error = await toError(response)
    if (response.status !== 412) throw error
    await resolve(kept, error.data as Refused, isOld)
  }

  const put = (slot: string, body: ArrayBuffer, base: string | null) =>
    call(at(slot), {
      method: 'PUT',
      body,
      headers: {
        ...(base === null ? { 'if-none-match': '*' } : { 'if-match': `"${base}"` }),
        'content-type': 'application/octet-stream',
        'x-save-device': encodeURIComponent(device),
        'x-build-id': facts.buildUid,
      },
    })

  async function settle(kept: Kept, revision: string): Promise<void> {
    const { id = 0, slot, bytes, at, base } = kept
    faults.delete(id)
    await shelf.put({ id, slot, bytes, at, base, revision, sent: slot })
  }

  /** The account has the bytes in its history, but another version is current. */
  async function resolve(kept: Kept, { theirs, yours_kept_as }: Refused, isOld: boolean): Promise<void> {
    const { slot, id = 0 } = kept
    // It was deleted elsewhere, so nothing is replaced.
    if (theirs === null) return void (await shelf.put({ ...kept, base: null }))
    // The player is asked about the newest alone.
    if (isOld) return await shelf.remove([id])
    const found = await call(at(slot, '/revisions?page_size=50'))
    if (!found.ok) throw new Away()
    const history = await dataOf<{ items: (ListedSave & { sha256: string })[] }>(found)
    const find = (revision: string) => history.items.find((one) => one.revision === revision)
    const [own, other] = [find(yours_kept_as), find(theirs)]
    // It had arrived, and only the answer was lost.
    if (own && own.sha256 === other?.sha256) return await settle(kept, theirs)
    const answer = await call(at(slot, `?revision=${theirs}`))
    if (!answer.ok) throw new Away()
    const bytes = await bytesOf(answer)
    const versionOf = (found: ListedSave | undefined, bytes: ArrayBuffer): Version => ({
      size: bytes.byteLength,
      at: kept.at,
      ...found,
      slot,
      bytes,
    })
    const mine = { device, ...versionOf(own, kept.bytes) }
    const decision = await parts.decide({ slot, mine, theirs: versionOf(other, bytes) })
    if (decision === 'theirs') {
      await inTurn(async () => {
        const all = await shelf.waiting()
        await shelf.remove(all.flatMap(([id, of]) => (of === slot ? id : [])))
        await adopt(slot, bytes, theirs, kept.at)
      })
      return parts.replaced()
    }
    const isMerged = typeof decision === 'object'
    if (decision !== 'mine' && !isMerged) await putBeside(slot, bytes)
    await shelf.put({ ...kept, base: theirs, ...(isMerged && { bytes: toBytes(decision) }) })
  }

  /** The other version becomes a save of its own. */
  async function putBeside(slot: string, bytes: ArrayBuffer): Promise<void> {
    const names = new Set((await list()).map(({ slot }) => slot))
    for (let number = 2; ; number += 1) {
      const name = `${Array.from(slot).slice(0, 56).join('')} (${number})`
      if (names.has(name)) continue
      const response = await put(name, bytes, null)
      if (response.ok) return
      if (response.status !== 412) throw await toError(response)
    }
  }

  return {
    list,
    read,
    write,
    flush,
    /** Takes a save that only this browser had, as if it were new. Returns whether it is safe here. */
    async takeOver(slot: string, bytes: ArrayBuffer): Promise<boolean> {
      const id = await inTurn(() => keep(slot, bytes, true))
      await flush()
      const isWaiting = (await shelf.get(id))?.waits !== undefined
      return isWaiting ? shelf.isLasting(id) : !faults.has(id)
    },
    wake,
    get isEnded() {
      return api.isEnded
    },
    newest: shelf.newest,
  }
}

export type AccountSaves = ReturnType<typeof createAccountSaves>

interface Refused {
  theirs: string | null
  yours_kept_as: string
}
