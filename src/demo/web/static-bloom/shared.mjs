/** The memory that the window and its worker share: first the words, then the x and y of every spark. */

export const SPARKS = 6000
/** The worker writes HITS, LEVEL and TICKS; the window writes the others. */
export const WORDS = { PLAYER_X: 0, PLAYER_Y: 1, PULSE: 2, ALIVE: 3, HITS: 4, LEVEL: 5, TICKS: 6 }
const WORDS_COUNT = 8
/** Places are whole numbers in the words: atomics know no fractions. */
export const SCALE = 1024
export const SIZE = 600

export function createMemory() {
  return new SharedArrayBuffer((WORDS_COUNT + SPARKS * 2) * 4)
}

export function openMemory(buffer) {
  return {
    words: new Int32Array(buffer, 0, WORDS_COUNT),
    sparks: new Float32Array(buffer, WORDS_COUNT * 4, SPARKS * 2),
  }
}
