/** Asks once for everyone who comes within `freshMs`, also for those who come while the question is open. */
export function remember<Value>(
  ask: () => Promise<Value>,
  freshMs: number,
  now: () => number = Date.now,
): () => Promise<Value> {
  let answer: Promise<Value> | undefined
  let askedAt = 0
  return () => {
    if (answer === undefined || now() - askedAt >= freshMs) {
      askedAt = now()
      answer = ask()
    }
    return answer
  }
}
