import { availableParallelism } from 'node:os'

import { hashPassword, verifyPassword } from 'better-auth/crypto'

import { createSemaphore } from '../../../lib/flow/semaphore.ts'

/**
 * The library's own hashes. Each occupies a core for tens of milliseconds, and sign-ups from many addresses
 * would occupy all of them, so half of the cores stay free for everything else.
 */
const cores = createSemaphore(Math.max(1, availableParallelism() >> 1))

export const passwords = {
  hash: (password: string) => withCore(() => hashPassword(password)),
  verify: (data: { hash: string; password: string }) => withCore(() => verifyPassword(data)),
}

async function withCore<Result>(work: () => Promise<Result>): Promise<Result> {
  const core = await cores.acquire()
  try {
    return await work()
  } finally {
    core[Symbol.dispose]()
  }
}
