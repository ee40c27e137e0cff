export type Gate = <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>

/** Lets work in while the weights together stay within the capacity; the rest waits in order. */
export function createGate(capacity: number): Gate {
  const waiting: { weight: number; enter: () => void }[] = []
  let inside = 0

  function admit(): void {
    for (let next = waiting[0]; next && inside + next.weight <= capacity; next = waiting[0]) {
      waiting.shift()
      inside += next.weight
      next.enter()
    }
  }

  return async (weight, work) => {
    await new Promise<void>((enter) => {
      waiting.push({ weight, enter })
      admit()
    })
    try {
      return await work()
    } finally {
      inside -= weight
      admit()
    }
  }
}
