/** Sort keys: higher numbers come first, and each key breaks ties of the one before. */
export type Keys = readonly ArrayLike<number>[]

/** Selects the first few of many candidates, using a heap whose root is the last of them. */
export class Top {
  private readonly heap: number[] = []

  /** `breakTie` is negative when the left one comes first. */
  constructor(
    private readonly size: number,
    private readonly keys: Keys,
    private readonly breakTie: (left: number, right: number) => number,
  ) {}

  offer(candidate: number): void {
    const { heap } = this
    if (heap.length < this.size) {
      heap.push(candidate)
      this.rise(heap.length - 1)
    } else if (this.size > 0 && this.compare(candidate, heap[0] ?? 0) < 0) {
      heap[0] = candidate
      this.sink()
    }
  }

  /** The last one that is selected; undefined until there are enough. */
  get last(): number | undefined {
    return this.heap.length < this.size ? undefined : this.heap[0]
  }

  /** In order, first to last. */
  sorted(): number[] {
    return this.heap.toSorted((left, right) => this.compare(left, right))
  }

  private compare(left: number, right: number): number {
    for (let index = 0; index < this.keys.length; index += 1) {
      const key = this.keys[index]
      const difference = (key?.[right] ?? 0) - (key?.[left] ?? 0)
      if (difference !== 0) return difference
    }
    return this.breakTie(left, right)
  }

  private rise(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if (!this.isLater(index, parent)) return
      this.swap(index, parent)
      index = parent
    }
  }

  private sink(): void {
    let index = 0
    for (;;) {
      const left = index * 2 + 1
      let latest = index
      if (this.isLater(left, latest)) latest = left
      if (this.isLater(left + 1, latest)) latest = left + 1
      if (latest === index) return
      this.swap(index, latest)
      index = latest
    }
  }

  private isLater(index: number, than: number): boolean {
    return index < this.heap.length && this.compare(this.heap[index] ?? 0, this.heap[than] ?? 0) > 0
  }

  private swap(left: number, right: number): void {
    const kept = this.heap[left] ?? 0
    this.heap[left] = this.heap[right] ?? 0
    this.heap[right] = kept
  }
}
