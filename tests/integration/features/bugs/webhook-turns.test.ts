import { afterAll, beforeAll, expect, test } from 'bun:test'

import { bugDeliveries } from '../../../../src/db/schema/bugs.ts'
import { findQueuedAt } from '../../../../src/features/bugs/webhooks/turn-queries.ts'
import { queueNextTurn, queueTurn } from '../../../../src/features/bugs/webhooks/turns.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { waitForLocked } from '../../../helpers/selling/selling.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

const HOUR_MS = 3_600_000

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.stop())

test('a report that comes while a turn ends does not wait for the next retry', async () => {
  const { db } = server.deps
  const { uid: ownerUid, ...owner } = await signUp(server)
  const game = await insertPublicGame(server, { uid: ownerUid, ...owner })
  const retry = { gameUid: game.uid, ticketUid: null, url: 'https://hooks.example/' }
  await db.insert(bugDeliveries).values({ ...retry, nextTryAt: new Date(Date.now() + HOUR_MS) })
  const isReported = Promise.withResolvers<void>()
  const turnEnds = isReported.promise.then(() => queueNextTurn(db, ownerUid))
  await db.transaction(async (tx) => {
    await queueTurn(tx, ownerUid, new Date())
    isReported.resolve()
    await waitForLocked(tx)
  })
  await turnEnds
  const queuedAt = await findQueuedAt(db, `bugs.deliver:${ownerUid}`)
  expect(queuedAt?.getTime()).toBeLessThanOrEqual(Date.now())
})
