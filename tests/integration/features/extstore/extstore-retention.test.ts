import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreRevocations, extstoreSessions } from '../../../../src/db/schema/extstore.ts'
import { deleteOldSessions } from '../../../../src/features/extstore/sign-in/retention.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { insertBareGame } from '../../../helpers/bare-game.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let gameUid: string
beforeAll(async () => {
  server = await startTestServer()
  gameUid = await insertBareGame(server.deps.db)
})
afterAll(() => server.stop())

const NOW = new Date('2026-06-01T12:00:00.000Z')
const DAY_MS = 24 * 60 * 60 * 1000
const HOUR_MS = 60 * 60 * 1000
const before = (ms: number) => new Date(NOW.getTime() - ms)
const sweep = () => deleteOldSessions(server.deps, new AbortController().signal, NOW)
const session = (expiresAt: Date) => ({
  uid: createUid(),
  gameUid,
  extstoreId: '76561198000000000',
  ip: '10.0.0.1',
  createdAt: new Date(expiresAt.getTime() - HOUR_MS),
  expiresAt,
})

test('a session is forgotten 30 days after its token expired, not earlier', async () => {
  const kept = [before(-HOUR_MS), before(29 * DAY_MS), before(30 * DAY_MS)].map(session)
  const due = [before(30 * DAY_MS + 1), before(90 * DAY_MS)].map(session)
  await server.deps.db.insert(extstoreSessions).values([...kept, ...due])
  expect(await sweep()).toBe(due.length)
  const rows = await server.deps.db.select({ uid: extstoreSessions.uid }).from(extstoreSessions)
  expect(rows.map(({ uid }) => uid).toSorted()).toEqual(kept.map(({ uid }) => uid).toSorted())
})

test('however many they are', async () => {
  const old = Array.from({ length: 6000 }, () => session(before(40 * DAY_MS)))
  for (let from = 0; from < old.length; from += 2000) {
    await server.deps.db.insert(extstoreSessions).values(old.slice(from, from + 2000))
  }
  expect(await sweep()).toBe(old.length)
  expect(await sweep()).toBe(0)
})

test('a revocation stays as long as a session it ended may be there', async () => {
  const rows = [
    { gameUid, extstoreId: 'kept', revokedAt: before(30 * DAY_MS + HOUR_MS) },
    { gameUid, extstoreId: 'due', revokedAt: before(30 * DAY_MS + HOUR_MS + 1) },
  ]
  await server.deps.db.insert(extstoreRevocations).values(rows)
  await sweep()
  const left = await server.deps.db
    .select({ extstoreId: extstoreRevocations.extstoreId })
    .from(extstoreRevocations)
    .where(eq(extstoreRevocations.gameUid, gameUid))
  expect(left).toEqual([{ extstoreId: 'kept' }])
})
