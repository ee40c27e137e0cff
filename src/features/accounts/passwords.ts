import { availableParallelism } from 'node:os'

import { hashPassword, verifyPassword } from 'better-auth/crypto'

import { createSemaphore } from '../../lib/semaphore.ts'

/**
 * The library's own hashes. Each occupies a core for tens of milliseconds, and sign-ups from many addresses
 * would occupy all of them, so half of the cores stay free for everything else.
 */
const cores = createSemaphore(Math.max(1, availableParallelism() >> 1))

export const passwords = {
  async hash(password: string): Promise<string> {
    using _core = await cores.acquire()
    return await hashPassword(password)
  },

  async verify(data: { hash: string; password: string }): Promise<boolean> {
    using _core = await cores.acquire()
    return await verifyPassword(data)
  },
}
