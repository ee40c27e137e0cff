import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { sessions } from '../../../../src/db/schema/accounts.ts'
import { oauthClients } from '../../../../src/db/schema/oauth.ts'
import { sweepCredentials } from '../../../../src/features/accounts/jobs.ts'
import { enqueue } from '../../../../src/jobs/queue.ts'
import { signUp } from '../../../helpers/people.ts'
import { obtainToken, registerClient } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

test('the hourly sweep forgets what is over and keeps what is used', async () => {
  const { db } = server.deps
  const longAgo = new Date('2020-01-01')
  const [gone, kept] = [await signUp(server), await signUp(server)]
  await db.update(sessions).set({ expiresAt: longAgo }).where(eq(sessions.userId, gone.uid))
  await obtainToken(server, kept, 'player:read')
  const unused = await registerClient(server)
  await db.update(oauthClients).set({ createdAt: longAgo })
  const fresh = await registerClient(server)

  await enqueue(db, sweepCredentials, {})
  const clients = await waitFor('the unused program is forgotten', async () => {
    const ids = (await db.select({ id: oauthClients.clientId }).from(oauthClients)).map((row) => row.id)
    return !ids.includes(unused) && ids
  })
  expect(clients).toContain(fresh)
  expect(clients).toHaveLength(2)
  expect(await db.select().from(sessions).where(eq(sessions.userId, gone.uid))).toEqual([])
  expect((await kept.fetch('/api/v1/private/me')).status).toBe(200)
})
