import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { NextSection, Section } from '../snapshots/snapshot-file.ts'
import { countCommonBits } from './common-bits.ts'
import { copyInto, grownLength } from './growth.ts'

const WORDS_PER_CHECK = 256

const POOL_MAX = 64
/** Arrays of released sets, to be used again; all of the same length. */
let pool: Int32Array[] = []

/** A set of small non-negative integers that grows as needed. */
export class Bitset {
  private words: Int32Array

  constructor(words: Int32Array = new Int32Array()) {
    this.words = words
  }

  get bytes(): number {
    return this.words.byteLength
  }

  add(position: number): void {
    const index = position >>> 5
    if (index >= this.words.length) this.grow(index + 1)
    this.words[index] = (this.words[index] ?? 0) | (1 << (position & 31))
  }

  delete(position: number): void {
    const index = position >>> 5
    if (index < this.words.length) this.words[index] = (this.words[index] ?? 0) & ~(1 << (position & 31))
  }

  /** Adds or deletes it; returns whether that changed the set. */
  set(position: number, isIn: boolean): boolean {
    if (this.has(position) === isIn) return false
    if (isIn) this.add(position)
    else this.delete(position)
    return true
  }

  has(position: number): boolean {
    return (((this.words[position >>> 5] ?? 0) >>> (position & 31)) & 1) === 1
  }

  /** Adds 32 values at once; `index` counts words of 32 bits. */
  addWord(index: number, word: number): void {
    if (index >= this.words.length) this.grow(index + 1)
    this.words[index] = (this.words[index] ?? 0) | word
  }

  /** Adds a range of the positions. */
  addAll(positions: Int32Array, from: number, to: number): void {
    for (let index = from; index < to; index += 1) this.add(positions[index] ?? 0)
  }

  /** An empty set of the same capacity. */
  blank(): Bitset {
    return new Bitset(takeArray(this.words.length).fill(0))
  }

  copy(): Bitset {
    return new Bitset(copyInto(this.words, takeArray(this.words.length)))
  }

  /** Call when a set that only one search has used is no longer needed. */
  release(): void {
    if (this.words.length === 0) return
    if (pool[0]?.length !== this.words.length) pool = []
    if (pool.length < POOL_MAX) pool.push(this.words)
    this.words = new Int32Array()
  }

  /** Intersects with the other set, in place. */
  and(other: Bitset): this {
    const { words } = this
    const shared = Math.min(words.length, other.words.length)
    for (let index = 0; index < shared; index += 1) {
      words[index] = (words[index] ?? 0) & (other.words[index] ?? 0)
    }
    words.fill(0, shared)
    return this
  }

  /** Adds all members of the other set, in place. */
  or(other: Bitset): this {
    const end = this.makeRoomFor(other)
    const { words } = this
    for (let index = 0; index < end; index += 1) {
      words[index] = (words[index] ?? 0) | (other.words[index] ?? 0)
    }
    return this
  }

  /** Adds the members of the other set that are missing and removes those that are not, in place. */
  toggle(other: Bitset): void {
    const end = this.makeRoomFor(other)
    const { words } = this
    for (let index = 0; index < end; index += 1) {
      words[index] = (words[index] ?? 0) ^ (other.words[index] ?? 0)
    }
  }

  /** Removes all members of the other set, in place. */
  without(other: Bitset): this {
    const { words } = this
    const shared = Math.min(words.length, other.words.length)
    for (let index = 0; index < shared; index += 1) {
      words[index] = (words[index] ?? 0) & ~(other.words[index] ?? 0)
    }
    return this
  }

  isEmpty(): boolean {
    const { words } = this
    for (let index = 0; index < words.length; index += 1) if (words[index] !== 0) return false
    return true
  }

  count(): number {
    return this.countCommon(this)
  }

  /** 32 members per word, for loops that are too hot for a callback. Must not be modified. */
  get raw(): Int32Array {
    return this.words
  }

  /** The size of the intersection. */
  countCommon(other: Bitset): number {
    return this.countCommonEach([other])[0] ?? 0
  }

  /** The sizes of the intersections with each of them, for sets that cannot be packed. */
  countCommonEach(others: readonly Bitset[]): number[] {
    return countCommonBits(
      this.words,
      others.map(({ words }) => words),
    )
  }

  /** How many of these positions it has. */
  countAmong(positions: Int32Array, from: number, to: number): number {
    const { words } = this
    let total = 0
    for (let index = from; index < to; index += 1) {
      const position = positions[index] ?? 0
      total += ((words[position >>> 5] ?? 0) >>> (position & 31)) & 1
    }
    return total
  }

  /** The lowest member; -1 if there is none. */
  first(): number {
    const { words } = this
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index] ?? 0
      if (word !== 0) return (index << 5) + 31 - Math.clz32(word & -word)
    }
    return -1
  }

  /** In ascending order. */
  forEach(visit: (position: number) => void): void {
    for (let index = 0; index < this.words.length; index += 1) {
      let word = this.words[index] ?? 0
      while (word !== 0) {
        visit((index << 5) + 31 - Math.clz32(word & -word))
        word &= word - 1
      }
    }
  }

  /** In descending order; yields to the event loop in between. */
  async forEachBackwards(visit: (position: number) => void): Promise<void> {
    const { words } = this
    for (let index = words.length - 1; index >= 0; index -= 1) {
      if (index % WORDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      let word = words[index] ?? 0
      while (word !== 0) {
        const bit = 31 - Math.clz32(word)
        visit((index << 5) + bit)
        word ^= 1 << bit
      }
    }
  }

  toArray(): Int32Array {
    const { words } = this
    const positions = new Int32Array(this.count())
    let next = 0
    for (let index = 0; index < words.length; index += 1) {
      for (let word = words[index] ?? 0; word !== 0; word &= word - 1) {
        positions[next] = (index << 5) + 31 - Math.clz32(word & -word)
        next += 1
      }
    }
    return positions
  }

  save(): Section {
    return this.words
  }

  async restore(next: NextSection): Promise<void> {
    this.words = new Int32Array(await next())
  }

  /** Returns where the other set ends. */
  private makeRoomFor(other: Bitset): number {
    let end = other.words.length
    while (end > this.words.length && other.words[end - 1] === 0) end -= 1
    if (end > this.words.length) this.grow(end)
    return end
  }

  private grow(least: number): void {
    this.words = copyInto(this.words, new Int32Array(grownLength(least, this.words.length)))
  }
}

function takeArray(length: number): Int32Array {
  const free = pool[0]?.length === length ? pool.pop() : undefined
  if (free) return free
  const made = new Int32Array(length)
  return made
}
