import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { and, eq, inArray, isNotNull } from 'drizzle-orm'

import { sessions, users } from '../../../../src/db/schema/accounts.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { insertBuild, issueDeployKey } from '../../../helpers/builds.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertAdmin, insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { exchange, obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { formText } from '../../../helpers/site/forms.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { openSlowUpload } from '../../../helpers/uploads/slow-uploads.ts'
import {
  makeBytes,
  openSession,
  postSession,
  sendChunk,
  UPLOAD_PATH,
} from '../../../helpers/uploads/uploads.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const REASON = 'Three stolen games in a week.'
const BYTES = makeBytes(5000)

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const operator = usePerson(server, signUpOperator)

async function signUpDeveloper() {
  const owner = await signUp(server)
  await verifyEmail(server, owner)
  const game = await insertPublicGame(server, owner)
  const build = await insertBuild(server, game.uid)
  return { owner, game, build, key: await issueDeployKey(server, game.uid) }
}

const suspend = (person: Person) => act(operator, `accounts/${person.uid}/suspend`, { reason: REASON })
const restore = (person: Person) => act(operator, `accounts/${person.uid}/restore`)
const asBearer = (token: string) => ({
  headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': randomAddress() },
})

async function signIn({ email, password }: Person): Promise<Response> {
  return await server.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': randomAddress() },
    body: JSON.stringify({ email, password }),
  })
}

describe('suspending an account', () => {
  test('of two operators who suspend each other at once, one wins', async () => {
    const pair = [await signUpOperator(server), await signUpOperator(server)] as const
    const uids = pair.map(({ uid }) => uid)
    const strike = (by: Person, other: Person) => act(by, `accounts/${other.uid}/suspend`, { reason: REASON })
    const begun = await server.deps.db.transaction(async (tx) => {
      await tx.select().from(users).where(inArray(users.id, uids)).for('update')
      const strikes = [strike(pair[0], pair[1]), strike(pair[1], pair[0])]
      await waitFor('both wait for a lock', async () => {
        // Of this database. Unlike pg_stat_activity, pg_locks is read anew within a transaction.
        const rows = await tx.execute(`
          select distinct pid from pg_locks where not granted and pid in (select pid from pg_locks where database =
            (select oid from pg_database where datname = current_database()))`)
        return rows.length >= 2
      })
      return { strikes }
    })
    const answers = await Promise.all(begun.strikes)
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
    const suspended = and(inArray(users.id, uids), isNotNull(users.suspendedAt))
    expect(await server.deps.db.$count(users, suspended)).toBe(1)
  })

  test('ends its sessions, and refuses to sign in with a plain sentence', async () => {
    const person = await signUp(server)
    expect((await suspend(person)).status).toBe(200)
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
    const refused = await signIn(person)
    expect(refused.status).toBe(403)
    expect(await readJson<object>(refused)).toMatchObject({
      message: expect.stringContaining('This account is suspended.'),
    })
    const page = await server.fetch('/sign-in', {
      method: 'POST',
      headers: { origin: server.url, accept: 'text/html', 'x-forwarded-for': randomAddress() },
      body: new URLSearchParams({ email: person.email, password: person.password }),
    })
    expect([page.status, (await page.text()).includes('This account is suspended.')]).toEqual([403, true])
    const wrong = await signIn({ ...person, password: 'something else entirely' })
    expect(wrong.status).toBe(401)
    const told = await waitForMail(server, person.email, 'Your account is suspended')
    expect(told.text).toContain(REASON)
    // Nobody reads what is answered to the sender.
    expect([told.text.includes('To object'), told.replyTo]).toEqual([false, ''])

    expect((await restore(person)).status).toBe(200)
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
    expect((await signIn(person)).status).toBe(200)
  })

  test('a session that is written beside the suspension signs nobody in', async () => {
    const person = await signUp(server)
    const { db } = server.deps
    const written = await db.select().from(sessions).where(eq(sessions.userId, person.uid))
    expect((await suspend(person)).status).toBe(200)
    await db.insert(sessions).values(written)
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
  })

  test('says how to object: by an answer, or at the address of the contact', async () => {
    const contact = async (value: string | null) =>
      await operator.json('PATCH', '/api/v1/operator/settings', { contact: value })
    const tell = async () => {
      const person = await signUp(server)
      await suspend(person)
      return await waitForMail(server, person.email, 'Your account is suspended')
    }
    await contact('help@example.org')
    const answered = await tell()
    expect(answered.text).toContain('To object, answer this mail.')
    expect(answered.replyTo).toBe('help@example.org')
    await contact('https://example.org/help')
    const led = await tell()
    expect(led.text).toContain('To object, write to us at https://example.org/help.')
    expect(led.replyTo).toBe('')
    await contact(null)
  })

  test('stops its player keys until it is restored', async () => {
    const person = await signUp(server)
    const made = await person.json('POST', '/api/v1/private/player-keys', { label: 'x' })
    const { key } = await readData<{ key: string }>(made)
    const use = () => server.fetch('/api/v1/public/search', asBearer(key))
    expect((await use()).status).toBe(200)
    await suspend(person)
    await waitFor('the key stops', async () => (await use()).status === 401, PROMPT_MS)
    await restore(person)
    expect((await use()).status).toBe(200)
  })

  test('stops its tokens, and those refreshed from them', async () => {
    const person = await signUp(server)
    const connection = await obtainToken(server, person, 'player:read offline_access')
    const use = (token: string) => server.fetch('/api/v1/public/search', asBearer(token))
    expect((await use(connection.access_token)).status).toBe(200)
    await suspend(person)
    expect((await use(connection.access_token)).status).toBe(401)
    const refreshed = await exchange(server, {
      grant_type: 'refresh_token',
      refresh_token: connection.refresh_token ?? '',
      client_id: connection.clientId,
    })
    if (refreshed.status === 200) {
      const { access_token } = await readJson<{ access_token: string }>(refreshed)
      expect((await use(access_token)).status).toBe(401)
    }
  })

  test('stops the deploy keys of its games, and those it issued for others', async () => {
    const developer = await signUpDeveloper()
    const helper = await signUp(server)
    await verifyEmail(server, helper)
    await helper.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    await insertAdmin(server, developer.game.uid, helper, 'accepted')
    const issued = await helper.json('POST', `/api/v1/private/games/${developer.game.uid}/deploy-keys`)
    const pair = await readData<{ access_token: string; secret_key: string }>(issued)
    const theirs = { 'x-access-token': pair.access_token, 'x-secret-key': pair.secret_key }
    const use = (headers: object) =>
      postSession(server, { ...developer, key: headers as typeof developer.key }, BYTES)
    expect((await use(theirs)).status).toBe(201)
    await suspend(helper)
    expect(await readFailure(await use(theirs))).toMatchObject({ status: 401, code: 4023 })
    await restore(helper)
    expect((await use(theirs)).status).toBe(201)
    await suspend(developer.owner)
    expect(await readFailure(await use(theirs))).toMatchObject({ status: 401, code: 4023 })
  })

  test('ends its running uploads: sessions, a chunk and a whole file in flight', async () => {
    const developer = await signUpDeveloper()
    const { owner, build, key } = developer
    const { session_id } = await openSession(server, developer, BYTES)
    await sendChunk(server, key, session_id, BYTES, [0, 1000])
    const chunk = await openSlowUpload(server, {
      method: 'POST',
      path: `${UPLOAD_PATH}/files`,
      headers: { ...key, 'x-upload-session-id': session_id, 'content-range': 'bytes 1000-4999/5000' },
      file: BYTES.subarray(1000),
    })
    const whole = await openSlowUpload(server, {
      method: 'POST',
      path: `${UPLOAD_PATH}/files`,
      headers: { ...key },
      fields: formText('build_id', build.uid) + formText('checksum', sha256Hex(BYTES)),
      file: BYTES,
      filename: 'game.zip',
    })
    const folder = join(server.dataDir, 'objects/.uploads')
    await waitFor('the first bytes of both', async () => {
      const sizes = (await readdir(folder)).map((name) => Bun.file(join(folder, name)).size)
      return sizes.some((size) => size > 1000) && sizes.some((size) => size > 0 && size < 1000)
    })
    expect([chunk.isOpen(), whole.isOpen()]).toEqual([true, true])
    await suspend(owner)
    for (const upload of [chunk, whole]) {
      const answer = await waitFor('the upload ends', () => upload.answer() || null, PROMPT_MS)
      expect(answer).toContain('403 Forbidden')
      expect(answer).toContain('suspended')
      upload.hangUp()
    }
    await restore(owner)
    const resumed = await sendChunk(server, key, session_id, BYTES, [1000, 2000])
    expect(await readFailure(resumed)).toMatchObject({ status: 404, code: 4045 })
    expect(await Array.fromAsync(server.deps.objects.list(`builds/${developer.game.uid}/`))).toEqual([])
  })

  test('leaves its published pages as they are', async () => {
    const { owner, game } = await signUpDeveloper()
    await suspend(owner)
    expect((await server.fetch(`/api/v1/public/games/${game.uid}`)).status).toBe(200)
  })

  test('happens once, and never to oneself', async () => {
    const person = await signUp(server)
    expect((await restore(person)).status).toBe(409)
    expect((await suspend(person)).status).toBe(200)
    expect((await suspend(person)).status).toBe(409)
    expect((await suspend(operator)).status).toBe(409)
    expect((await act(operator, `accounts/${crypto.randomUUID()}/suspend`)).status).toBe(404)
    expect((await act(operator, 'accounts/nobody/suspend')).status).toBe(404)
  })

  test('ends the powers of another operator', async () => {
    const other = await signUpOperator(server)
    expect((await other.fetch('/api/v1/operator/status')).status).toBe(200)
    await suspend(other)
    expect((await other.fetch('/api/v1/operator/status')).status).toBe(404)
  })
})
