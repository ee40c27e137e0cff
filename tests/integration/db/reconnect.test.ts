import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import postgres from 'postgres'

import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

// infra/patches: without it the driver forgets to greet the database on the next connection.
test('a connection that is lost before its statement was sent opens again at once', async () => {
  const { hostname, port } = new URL(database.url)
  const sockets: Socket[] = []
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket))
      sockets.push(socket)
    })
  // The types omit this option of the driver.
  const options = { max: 1, connect_timeout: 5, fetch_types: false, socket: open }
  const sql = postgres(database.url, options)
  try {
    await sql`select 1`
    const lost = sql`select 2`.execute()
    sockets[0]?.destroy()
    expect(await lost.catch((error: unknown) => String(error))).toContain('CONNECTION_CLOSED')
    expect([...(await sql`select 3 as value`)]).toEqual([{ value: 3 }])
    expect(sockets).toHaveLength(2)
  } finally {
    await sql.end({ timeout: 0 })
  }
})
