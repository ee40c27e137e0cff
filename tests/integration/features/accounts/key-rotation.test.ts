import { expect, test } from 'bun:test'

import { createTestDatabase } from '../../../helpers/database.ts'
import { readData } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { findKeptPort } from '../../../helpers/processes/kept-port.ts'
import { startProbeServer } from '../../../helpers/processes/probe-server.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'

test('after a change of SECRET_KEY keys and tokens work on, and new ones can be made', async () => {
  const database = await createTestDatabase()
  // Tokens name the address they were made for, so both servers have the same.
  const shared = { TRUST_PROXY: '1', DATABASE_URL: database.url, PORT: String(findKeptPort()) }
  const [oldKey, newKey] = [
    'the-old-secret-key-of-this-installation',
    'the-new-secret-key-of-this-installation',
  ]

  const before = await startTestServer({ ...shared, SECRET_KEY: oldKey })
  const person = await signUp(before)
  const { access_token } = await obtainToken(before, person, 'player:read')
  const made = await person.json('POST', '/api/v1/private/player-keys', { label: 'Kept' })
  const { key } = await readData<{ key: string }>(made)
  await before.stop()

  const after = await startTestServer({ ...shared, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey })
  const probe = await startProbeServer(after)
  for (const bearer of [access_token, key]) {
    const answer = await probe.fetch('/api/v1/public/probe', {
      headers: { authorization: `Bearer ${bearer}` },
    })
    expect(await readData(answer)).toMatchObject({ kind: 'player', userUid: person.uid })
  }
  const newcomer = await signUp(after)
  expect((await obtainToken(after, newcomer, 'player:read')).expires_in).toBe(3600)
  await probe.stop()
  await after.stop()
  await database.drop()
})
