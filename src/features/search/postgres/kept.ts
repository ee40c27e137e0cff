/** Keeps what was worked out until the index changes; past its bound the oldest goes first. */
export class Kept<Value> {
  private readonly entries = new Map<string, Value>()
  private generation = -1

  constructor(private readonly max: number) {}

  get(generation: number, key: string, make: () => Value): Value {
    if (generation !== this.generation) {
      this.entries.clear()
      this.generation = generation
    }
    const known = this.entries.get(key)
    if (known !== undefined) return known
    const made = make()
    const [oldest] = this.entries.keys()
    if (oldest !== undefined && this.entries.size >= this.max) this.entries.delete(oldest)
    this.entries.set(key, made)
    return made
  }

  drop(key: string): void {
    this.entries.delete(key)
  }
}
