/** Counts characters as people do: an emoji is one, not the two units it is stored as. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}
