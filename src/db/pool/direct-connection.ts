import postgres from 'postgres'

import { within } from '../../lib/flow/within.ts'

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
      this.#client ??= this.#connect()
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

  #connect(): postgres.Sql {
    return postgres(this.url, {
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => undefined,
      connection: { application_name: this.name },
    })
  }
}
