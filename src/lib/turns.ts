/** A place of one's own, until it is disposed. */
export interface Turn extends Disposable {
  /** Somebody waits for a place. */
  isWanted(): boolean
  /** The same, after this turn has lasted its time. */
  isDue(): boolean
}

export interface Turns {
  /** First come, first served. */
  take(): Promise<Turn>
}

/** For work that only a few may do at a time, each of them for about `turnMs` when others wait. */
export function createTurns(places: number, turnMs: number): Turns {
  const waiting: ((turn: Turn) => void)[] = []
  let taken = 0

  function begin(): Turn {
    const due = performance.now() + turnMs
    const isWanted = () => waiting.length > 0
    return {
      isWanted,
      isDue: () => isWanted() && performance.now() >= due,
      [Symbol.dispose]() {
        const next = waiting.shift()
        if (next) next(begin())
        else taken -= 1
      },
    }
  }

  return {
    async take() {
      if (taken === places) return await new Promise((resolve) => void waiting.push(resolve))
      taken += 1
      return begin()
    },
  }
}
