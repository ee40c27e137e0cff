import type postgres from 'postgres'

import { within } from '../../lib/flow/within.ts'
import { openSession } from './open-session.ts'

const TIMEOUT_MS = 1000

/** One connection for small queries that must not wait for a pool. It is replaced after a failure. */
export class DirectConnection {
  #client: postgres.Sql | null = null

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {}

  /** Returns the first row. */
  async ask<Row extends object>(text: string): Promise<Row> {
    try {
      this.#client ??= openSession(this.url, this.name)
      const [row] = await within(TIMEOUT_MS, this.#client.unsafe<Row[]>(text))
      if (row === undefined) throw new Error('The query returned no row')
      return row
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** The next query opens a new connection. */
  close(): void {
    void this.#client?.end({ timeout: 0 })
    this.#client = null
  }
}
