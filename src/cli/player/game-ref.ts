/** A game as players name it. */
export interface GameRef {
  /** From the address of a store page. */
  server: string | null
  /** Name in addresses, or uid. */
  game: string
}

/** Reads a name, a uid, or the address of a store page. */
export function readGameRef(text: string): GameRef {
  const [, server, game] = /^(https?:\/\/[^?#]+?)\/games\/([\w-]+)/i.exec(text) ?? []
  if (server === undefined || game === undefined) return { server: null, game: text }
  return { server, game }
}
