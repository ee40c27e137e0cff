/** Keeps what was worked out until the index changes; past its bound goes what was not asked for the longest. */
export class Kept<Value> {
  private readonly entries = new Map<string, Value>()
  private generation = -1

  constructor(private readonly max: number) {}

  get(generation: number, key: string, make: () => Value): Value {
    if (generation !== this.generation) {
      this.entries.clear()
      this.generation = generation
    }
    const value = this.entries.get(key) ?? make()
    this.entries.delete(key)
    this.entries.set(key, value)
    const [oldest] = this.entries.keys()
    if (oldest !== undefined && this.entries.size > this.max) this.entries.delete(oldest)
    return value
  }

  drop(key: string): void {
    this.entries.delete(key)
  }
}

/** The same for what takes a while: whoever asks meanwhile shares it, and what failed is not kept. */
export async function keepWhenDone<Value>(
  kept: Kept<Promise<Value>>,
  generation: number,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  try {
    return await kept.get(generation, key, make)
  } catch (error) {
    kept.drop(key)
    throw error
  }
}
