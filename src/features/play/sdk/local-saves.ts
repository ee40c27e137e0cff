import { type ListedSave, type Place, SaveError } from './types.ts'

/** The parts of `localStorage` that are used. */
export interface LocalStore {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

const PREFIX = 'playshelf.save.'
const LEFT = 'playshelf.left'
const CHUNK = 8192

/** Saves of a player who is not signed in, or did not allow more. Asks for the store each time: it may be blocked. */
export function createLocalSaves(openStore: () => LocalStore) {
  const read = (slot: string): ArrayBuffer | null => {
    const [, text] = split(openStore().getItem(PREFIX + slot))
    return text === undefined ? null : Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer
  }

  function list(): ListedSave[] {
    const store = openStore()
    return Array.from({ length: store.length }, (_, index) => store.key(index) ?? '').flatMap((key) => {
      if (!key.startsWith(PREFIX)) return []
      const [at, text = ''] = split(store.getItem(key))
      return { slot: key.slice(PREFIX.length), size: text.length, at: new Date(Number(at)).toISOString() }
    })
  }

  function write(slot: string, bytes: Uint8Array): Place {
    // One character for each byte.
    let text = `${Date.now()}:`
    for (let at = 0; at < bytes.length; at += CHUNK)
      text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
    try {
      openStore().setItem(PREFIX + slot, text)
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
    read,
    write,
    remove: (slot: string) => openStore().removeItem(PREFIX + slot),
    /** What the player has not yet left in the browser. */
    listOffered: () => {
      const left = Number(openStore().getItem(LEFT))
      return list().filter(({ at }) => Date.parse(at) > left)
    },
    leave: () => openStore().setItem(LEFT, String(Date.now())),
  }
}

export type LocalSaves = ReturnType<typeof createLocalSaves>

function split(value: string | null): [at?: string, text?: string] {
  const end = value?.indexOf(':') ?? -1
  return value === null || end < 0 ? [] : [value.slice(0, end), value.slice(end + 1)]
}
