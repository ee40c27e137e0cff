import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import { promotionRequests } from '../../../src/db/schema/approvals.ts'
import { oauthConsents } from '../../../src/db/schema/oauth.ts'
import { loadDemoAgent } from '../../../src/demo/agents.ts'
import { DEVELOPERS } from '../../../src/demo/data.ts'
import { insertGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { release } from '../../helpers/releases.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

test('a program of the demo asks for approval once', async () => {
  const { db } = server.deps
  await loadDemoAgent(server.deps)
  expect(await db.$count(oauthConsents)).toBe(0)

  const person = await signUp(server)
  const { email } = DEVELOPERS['lantern-works']
  await db.update(users).set({ email }).where(eq(users.id, person.uid))
  const game = await insertGame(server, person)
  const build = await release(server, game.uid, { channel: 'beta' })
  await loadDemoAgent(server.deps)
  const [asked, ...more] = await db.select().from(promotionRequests)
  expect(more).toBeEmpty()
  expect(asked).toMatchObject({ buildUid: build.uid, channel: 'stable', decidedAt: null })
  expect(asked?.askedBy).toStartWith('Release helper for ')

  await db.delete(promotionRequests)
  await loadDemoAgent(server.deps)
  expect(await db.$count(promotionRequests)).toBe(0)
})
