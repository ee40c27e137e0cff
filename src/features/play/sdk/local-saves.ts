import { type ListedSave, type Place, SaveError } from './types.ts'

/** The parts of `localStorage` that are used. */
export interface LocalStore {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

interface Found {
  key: string
  at: number
  /** One character for each byte. */
  text: string
}

const PREFIX = 'playshelf.save.'
const CHUNK = 8192

/**
 * Saves in this browser alone: of guests, whose player is null, and of players who did not allow more, each with their
 * own. Players also see what guests saved until they decided about it, because it may be theirs.
 * Asks for the store each time: it may be blocked.
 */
export function createLocalSaves(openStore: () => LocalStore, player: string | null) {
  const own = PREFIX + (player === null ? '' : `${player}/`)
  const left = `playshelf.left.${player}`
  const leftAt = () => Number(openStore().getItem(left))

  function parse(key: string): Found | null {
    const [, at, text] = /^(\d{1,15}):(.*)$/s.exec(openStore().getItem(key) ?? '') ?? []
    return at === undefined || text === undefined ? null : { key, at: Number(at), text }
  }

  function find(slot: string): Found | null {
    const found = parse(own + slot)
    if (found || player === null) return found
    const guests = parse(PREFIX + slot)
    return guests && guests.at > leftAt() ? guests : null
  }

  function list(): ListedSave[] {
    const store = openStore()
    const slots = new Set<string>()
    for (let index = 0; index < store.length; index += 1) {
      const key = store.key(index) ?? ''
      // No name of a slot has a slash.
      const [slot, whose = player] = key.slice(PREFIX.length).split('/').reverse()
      if (key.startsWith(PREFIX) && slot !== undefined && whose === player) slots.add(slot)
    }
    return [...slots].flatMap((slot) => {
      const found = find(slot)
      return found ? [{ slot, size: found.text.length, at: new Date(found.at).toISOString() }] : []
    })
  }

  function write(slot: string, bytes: Uint8Array): Place {
    let text = `${Date.now()}:`
    for (let at = 0; at < bytes.length; at += CHUNK)
      text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
    try {
      openStore().setItem(own + slot, text)
    } catch (error) {
      if ((error as Error).name === 'SecurityError') throw error
      throw new SaveError(
        4131,
        `This save of ${Math.ceil(bytes.length / 1024)} KB does not fit into this browser, which keeps about 5 MB for the game. The save before it is still there.`,
      )
    }
    return 'browser'
  }

  return {
    list,
    read(slot: string): ArrayBuffer | null {
      const found = find(slot)
      return found && Uint8Array.from(found.text, (letter) => letter.charCodeAt(0)).buffer
    },
    write,
    remove(slot: string): void {
      const found = find(slot)
      if (found) openStore().removeItem(found.key)
    },
    /** What the player has not decided about. */
    listOffered: () => list().filter(({ at }) => Date.parse(at) > leftAt()),
    /** Nothing that is there now is offered again, also if the clock was wrong. */
    leave(): void {
      const times = list().map(({ at }) => Date.parse(at))
      openStore().setItem(left, String(Math.max(Date.now(), ...times)))
    },
  }
}
