import { type AccountSaves, createAccountSaves } from './account-saves.ts'
import { toSlot } from './input.ts'
import { createLocalSaves } from './local-saves.ts'
import type { Pass } from './saves-api.ts'
import { openShelf } from './shelf.client.ts'
import { createSteadyShelf } from './steady-shelf.ts'
import { type Decision, type ListedSave, type Player, type Saves, type SdkFacts, type Told } from './types.ts'

/** What the page around the game answers at first. */
interface Beginning extends Pass {
  /** Stands for the player in this browser; none for a guest. */
  here?: string
  /** None if the player did not allow more than this browser. */
  account?: string
  player?: Player
  device?: string
}

type Ask = <Answer>(about: string, more?: object) => Promise<Answer>

/** How long the page around may take to answer. It does at once, if it is the store's. */
const ANSWER_MS = 20_000

export async function openSaves(facts: SdkFacts, told: Told): Promise<Saves> {
  const ask = parent === window ? null : await connect(new URL(facts.baseUrl).origin)
  const begun = await ask?.<Beginning>('begin')
  const local = createLocalSaves(() => localStorage, begun?.here ?? null)
  let isOpen = false
  let isLeaving = false
  let noted: string | null = null
  const account = ask && begun?.account !== undefined ? await openAccount(ask, begun.account) : null
  if (ask && account) await takeOver(ask, account)
  isOpen = true

  async function openAccount(ask: Ask, name: string): Promise<AccountSaves> {
    // Private windows, and browsers that allow a frame nothing, have none.
    const disk = await openShelf(name).catch(() => null)
    const account = createAccountSaves({
      facts,
      device: begun?.device ?? '',
      token: begun?.token,
      shelf: createSteadyShelf(disk),
      renew: () => ask('token'),
      note(state) {
        if (state !== noted) void ask('note', { state: (noted = state) })
      },
      alone: (work) =>
        disk && 'locks' in navigator
          ? navigator.locks.request(`playshelf.${name}`, { ifAvailable: true }, (lock) => work(lock !== null))
          : work(true),
      async decide(conflict) {
        if (told.conflict) return ((await told.conflict(conflict)) as Decision | undefined) ?? 'both'
        const [mine, theirs] = [conflict.mine, conflict.theirs].map(({ bytes: _, ...shown }) => shown)
        const decision = await ask<Decision>('conflict', { slot: conflict.slot, mine, theirs })
        // The game must read it, and write nothing before.
        isLeaving = isOpen && decision === 'theirs'
        return decision
      },
      replaced() {
        if (isLeaving) void ask('restart')
      },
    })
    const wake = () => {
      if (document.visibilityState === 'visible') void account.wake().catch(() => {})
    }
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    return account
  }

  async function takeOver(ask: Ask, account: AccountSaves): Promise<void> {
    let saves: ListedSave[] = []
    try {
      saves = local.listOffered()
    } catch {
      // The browser keeps nothing for the game.
    }
    const isWanted = saves.length > 0 ? await ask<boolean | null>('takeover', { saves }) : null
    let isDecided = isWanted !== null
    for (const { slot } of isWanted ? saves : []) {
      const bytes = local.read(slot)
      if (!bytes) continue
      if (await account.takeOver(slot, bytes)) local.remove(slot)
      else isDecided = false
    }
    if (isDecided) local.leave()
    await account.flush()
  }

  const inAccount = () => (account?.isEnded ? null : account)
  return {
    list: async () => await (inAccount() ?? local).list(),
    async read(name) {
      const slot = toSlot(name)
      const own = inAccount()
      if (own) return await own.read(slot)
      return local.read(slot) ?? (await account?.newest(slot))?.bytes ?? null
    },
    async write(name, bytes) {
      const slot = toSlot(name)
      if (isLeaving) return await new Promise(() => {})
      const place = await inAccount()?.write(slot, bytes)
      return place === undefined || account?.isEnded ? local.write(slot, new Uint8Array(bytes)) : place
    },
    player: (account && begun?.player) ?? null,
  }
}

/** A channel to the page around the game, if that is the store's. */
function connect(store: string): Promise<Ask | null> {
  return new Promise((resolve) => {
    const waiting = new Map<number, (answer: never) => void>()
    const listen = ({ source, origin, data, ports: [port] }: MessageEvent) => {
      if (source !== parent || origin !== store || data !== 'playshelf' || !port) return
      port.onmessage = ({ data: { id, answer } }) => {
        waiting.get(id)?.(answer as never)
        waiting.delete(id)
      }
      let asked = 0
      end((about, more) => {
        const id = (asked += 1)
        port.postMessage({ id, about, ...more })
        return new Promise((answered) => waiting.set(id, answered))
      })
    }
    const end = (ask: Ask | null) => {
      clearTimeout(timer)
      removeEventListener('message', listen)
      resolve(ask)
    }
    const timer = setTimeout(() => end(null), ANSWER_MS)
    addEventListener('message', listen)
    parent.postMessage('playshelf', store)
  })
}
