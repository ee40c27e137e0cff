import { expect, test } from 'bun:test'

import { createLogger } from '../../../../src/lib/log.ts'
import { createTestDatabase } from '../../../helpers/database.ts'
import { readData } from '../../../helpers/json.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { signUp } from '../../../helpers/people.ts'
import { findKeptPort } from '../../../helpers/processes/child.ts'
import { startProbeServer } from '../../../helpers/processes/probe-server.ts'
import { startTestServer } from '../../../helpers/server.ts'
import {
  addApp,
  ageConfirmation,
  sendCode,
  sendPassword,
  unusedCode,
} from '../../../helpers/sign-in/factors.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const lines: string[] = []
const log = createLogger({ level: 'debug', pretty: false, write: (line) => lines.push(line) })
const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' }, { log })

test('secrets and codes are in no log, no export and no table as they are', async () => {
  const person = await signUp(server)
  const app = await addApp(person)
  const used = await unusedCode(server, person, app)
  const step = await sendPassword(server, person)
  expect((await sendCode(server, person, step.cookie, { code: used, trustDevice: true })).answer.status).toBe(
    200,
  )
  const recovery = app.recoveryCodes[0] ?? ''
  const again = await sendPassword(server, person)
  await sendCode(server, person, again.cookie, { code: recovery }, 'backup-code')
  const exported = await (await person.fetch('/api/v1/private/me/export')).text()
  expect(exported).toContain('"authenticator_app":true')
  const tables = ['authenticators', 'recovery_codes', 'verifications', 'sessions', 'accounts', 'users']
  const stored = await Promise.all(
    tables.map((name) =>
      server.deps.db.execute(`select * from ${name}`).then((rows) => JSON.stringify(rows)),
    ),
  )
  const secrets = [
    app.secret,
    ...app.recoveryCodes,
    ...app.recoveryCodes.map((code) => code.replaceAll('-', '')),
  ]
  for (const text of [exported, ...stored, ...lines]) {
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  }
})

test('operators reset the factors: sessions end, the log and a mail give the reason', async () => {
  const operator = await signUpOperator(server)
  const person = await signUp(server)
  await addApp(person)
  const path = `accounts/${person.uid}/reset-factors`
  expect((await act(operator, path, {})).status).toBe(400)
  expect((await act(operator, `accounts/${operator.uid}/reset-factors`, { reason: 'x' })).status).toBe(409)
  const reason = 'The phone fell into the sea.'
  const answer = await act(operator, path, { reason })
  expect(await readData<object>(answer)).toMatchObject({ second_factor: false })
  expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
  const mail = await waitForMail(server, person.email, 'Your sign-in factors were reset')
  expect(mail.text).toContain(reason)
  const { items } = await readData<{ items: object[] }>(await operator.fetch('/api/v1/operator/audit'))
  expect(items[0]).toMatchObject({ act: 'reset_factors', reason, subject: { id: person.uid } })
  await ageConfirmation(server, operator)
  expect((await act(operator, path, { reason })).status).toBe(403)
})

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
