import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { findAuthenticator } from '../../../../src/features/accounts/factors/factor-queries.ts'
import { lockUser } from '../../../../src/features/accounts/queries.ts'
import { makeCode, stepAt } from '../../../../src/lib/totp.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { asPerson, type Person, randomAddress, readCookies, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { addApp, sendCode, sendPassword, unusedCode, withCookie } from '../../../helpers/sign-in/factors.ts'
import { signUpVerified } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

let server: TestServer
/** A second process on the same data. */
let second: TestServer

beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
  const { url, databaseUrl, dataDir } = server
  second = await startTestServer({
    TRUST_PROXY: '1',
    BASE_URL: url,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
  })
})
afterAll(async () => {
  await second.stop()
  await server.stop()
})

/** Both processes, in turn. */
const processOf = (index: number) => ({ url: server.url, fetch: [server, second][index % 2]?.fetch ?? fetch })

const isSignedIn = async (person: Person, cookie: string) =>
  (await withCookie(server, person, cookie).fetch('/api/v1/private/me')).status === 200

const STEP_MS = 30_000

/** A code of two steps ahead is one of the next step, which is accepted, once this step has ended. */
async function untilStepIsYoung(): Promise<void> {
  const left = STEP_MS - (Date.now() % STEP_MS)
  if (left < 5000) await Bun.sleep(left)
}

describe('the second step', () => {
  test('a password alone signs in until there is an app, and then only with a code of it', async () => {
    const person = await signUp(server)
    expect(await isSignedIn(person, (await sendPassword(server, person)).cookie)).toBe(true)
    const app = await addApp(person)
    expect(app.recoveryCodes).toHaveLength(10)
    const step = await sendPassword(server, person)
    expect(await readJson<object>(step.answer)).toMatchObject({ twoFactorRedirect: true })
    expect(await isSignedIn(person, step.cookie)).toBe(false)
    const code = await unusedCode(server, person, app)
    const done = await sendCode(server, person, step.cookie, { code })
    expect(done.answer.status).toBe(200)
    expect(await isSignedIn(person, done.cookie)).toBe(true)
    await waitForMail(server, person.email, 'Your account has a new way to sign in')
  })

  test('a code counts once, also when two processes get it at the same time', async () => {
    const person = await signUp(server)
    const app = await addApp(person)
    const steps = await Promise.all([1, 2, 3, 4].map(() => sendPassword(server, person)))
    const code = await unusedCode(server, person, app)
    const answers = await Promise.all(
      steps.map(({ cookie }, index) => sendCode(processOf(index), person, cookie, { code })),
    )
    expect(answers.map(({ answer }) => String(answer.status)).toSorted()).toEqual([
      '200',
      '400',
      '400',
      '400',
    ])
  })

  test('a second step makes one session, and codes of two steps ago or ahead are refused', async () => {
    const person = await signUp(server)
    const app = await addApp(person)
    for (const offset of [-2, 2]) {
      const step = await sendPassword(server, person)
      await unusedCode(server, person, app)
      await untilStepIsYoung()
      const code = makeCode(app.secret, stepAt(Date.now()) + offset)
      expect((await sendCode(server, person, step.cookie, { code })).answer.status).toBe(400)
    }
    const step = await sendPassword(server, person)
    const first = await sendCode(server, person, step.cookie, { code: await unusedCode(server, person, app) })
    expect(first.answer.status).toBe(200)
    const again = await sendCode(server, person, step.cookie, { code: await unusedCode(server, person, app) })
    expect(again.answer.status).toBe(401)
  })

  test('a recovery code works once, also with two processes at once, and is told by mail', async () => {
    const person = await signUp(server)
    const { recoveryCodes } = await addApp(person)
    const steps = await Promise.all([1, 2, 3, 4].map(() => sendPassword(server, person)))
    const code = recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ') ?? ''
    const answers = await Promise.all(
      steps.map(({ cookie }, index) => sendCode(processOf(index), person, cookie, { code }, 'backup-code')),
    )
    expect(answers.map(({ answer }) => String(answer.status)).toSorted()).toEqual([
      '200',
      '400',
      '400',
      '400',
    ])
    const mail = await waitForMail(server, person.email, 'A recovery code was used')
    expect(mail.text).toContain('9 codes are left')
    expect(mail.text).toContain('If it was not you')
  })

  test('five wrong codes of any kind, address and process lock the step for all strangers', async () => {
    const person = await signUp(server)
    const app = await addApp(person)
    const statuses = []
    for (let tries = 0; tries < 6; tries += 1) {
      const stranger = { ...person, address: randomAddress() }
      const { cookie } = await sendPassword(server, stranger)
      const kind = tries % 2 === 0 ? 'totp' : 'backup-code'
      const wrong = { code: '000000' }
      statuses.push((await sendCode(processOf(tries), stranger, cookie, wrong, kind)).answer.status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    const thief = { ...person, address: randomAddress() }
    const step = await sendPassword(server, thief)
    const code = await unusedCode(server, person, app)
    const refused = await sendCode(processOf(1), thief, step.cookie, { code })
    expect(refused.answer.status).toBe(429)
    expect(Number(refused.answer.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(await refused.answer.text()).toContain('set a new password by mail')
    const recovery = { code: app.recoveryCodes[0] ?? '' }
    expect((await sendCode(server, thief, step.cookie, recovery, 'backup-code')).answer.status).toBe(429)
    const form = new URLSearchParams({ code })
    const page = await server.fetch('/second-step', {
      method: 'POST',
      headers: { origin: server.url, cookie: step.cookie, 'x-forwarded-for': randomAddress() },
      body: form,
    })
    expect(page.status).toBe(429)
  })

  test('strangers lock out neither a browser that signed in before nor one that set the password by mail', async () => {
    const person = await signUpVerified(server)
    const { cookie: known } = await sendPassword(server, person)
    const app = await addApp(person)
    const lock = async (password: string) => {
      for (let tries = 0; tries < 5; tries += 1) {
        const stranger = { ...person, password, address: randomAddress() }
        const { cookie } = await sendPassword(server, stranger)
        await sendCode(server, stranger, cookie, { code: '000000' })
      }
    }
    await lock(person.password)
    for (const browser of [known, person.cookie]) {
      const step = await sendPassword(server, person, browser)
      const code = await unusedCode(server, person, app)
      expect((await sendCode(server, person, step.cookie, { code })).answer.status).toBe(200)
    }
    await person.json('POST', '/api/auth/request-password-reset', { email: person.email })
    const { text } = await waitForMail(server, person.email, 'Set a new password')
    const token = /reset(?:-password)?(?:\/|\?token=)([\w-]+)/.exec(text)?.[1] ?? ''
    const password = 'a password of the mailbox'
    const reset = await server.fetch('/api/auth/reset-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': randomAddress() },
      body: JSON.stringify({ token, newPassword: password }),
    })
    const anew = { ...person, password, address: randomAddress() }
    const step = await sendPassword(server, anew, readCookies(reset))
    const code = await unusedCode(server, person, app)
    expect((await sendCode(server, anew, step.cookie, { code })).answer.status).toBe(200)
  })

  test('known browsers count their own wrong codes, and all of them together', async () => {
    const person = await signUp(server)
    const browsers = []
    for (let count = 0; count < 8; count += 1) browsers.push((await sendPassword(server, person)).cookie)
    const app = await addApp(person)
    const statuses: number[][] = []
    for (const browser of browsers) {
      const here = { ...person, address: randomAddress() }
      const { cookie } = await sendPassword(server, here, browser)
      const answers = []
      for (let tries = 0; tries < 6; tries += 1)
        answers.push((await sendCode(server, here, cookie, { code: '000000' })).answer.status)
      statuses.push(answers)
    }
    expect(statuses[0]).toEqual([400, 400, 400, 400, 400, 429])
    expect(statuses.flat().filter((status) => status === 400)).toHaveLength(30)
    const stranger = { ...person, address: randomAddress() }
    const step = await sendPassword(server, stranger)
    const code = await unusedCode(server, person, app)
    expect((await sendCode(server, stranger, step.cookie, { code })).answer.status).toBe(200)
  })

  test('a trusted browser skips the step until it is forgotten', async () => {
    const person = await signUp(server)
    const app = await addApp(person)
    const step = await sendPassword(server, person)
    const code = await unusedCode(server, person, app)
    const { cookie } = await sendCode(server, person, step.cookie, { code, trustDevice: true })
    const again = await sendPassword(server, person, cookie)
    expect(await isSignedIn(person, again.cookie)).toBe(true)
    const here = withCookie(server, person, again.cookie)
    const { trusted_browsers } = await readData<{
      trusted_browsers: { uid: string; browser: string; expires_at: string }[]
    }>(await here.fetch('/api/v1/private/me/factors'))
    expect(trusted_browsers).toMatchObject([{ browser: 'Firefox on Linux' }])
    const days = (Date.parse(trusted_browsers[0]?.expires_at ?? '') - Date.now()) / (24 * 60 * 60 * 1000)
    expect(Math.round(days)).toBe(30)
    // Somebody who asks for a reset link in this person's name must not undo the trust.
    await here.json('POST', '/api/auth/request-password-reset', { email: person.email })
    expect(await isSignedIn(person, (await sendPassword(server, person, again.cookie)).cookie)).toBe(true)
    const uids = (
      await readData<{ trusted_browsers: { uid: string }[] }>(await here.fetch('/api/v1/private/me/factors'))
    ).trusted_browsers.map(({ uid }) => uid)
    for (const uid of uids) {
      const path = `/api/v1/private/me/trusted-browsers/${uid}`
      expect((await here.fetch(path, { method: 'DELETE' })).status).toBe(200)
    }
    const last = await sendPassword(server, person, again.cookie)
    expect(await readJson<object>(last.answer)).toMatchObject({ twoFactorRedirect: true })
  })
})

test('a policy that operators set counts in every process, by notification', async () => {
  const operator = await signUpOperator(server)
  await addApp(operator)
  const bare = await signUpVerified(server)
  const game = await insertGame(server, bare)
  const there = asPerson({ url: server.url, fetch: second.fetch }, bare)
  const issue = () => there.json('POST', `/api/v1/private/games/${game.uid}/deploy-keys`)
  await bare.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  expect((await issue()).status).toBe(201)
  const set = (second_factor: string) =>
    operator.json('PATCH', '/api/v1/operator/settings', { second_factor })
  expect((await set('publishers')).status).toBe(200)
  try {
    await waitFor('the policy in the other process', async () => (await issue()).status === 403)
  } finally {
    await set('optional')
  }
})

describe('the app and the codes', () => {
  test('the QR code is an SVG picture, an unconfirmed app changes nothing, a second one is refused', async () => {
    const person = await signUp(server)
    const started = await person.json('POST', '/api/v1/private/me/authenticator')
    const { qr_svg, address, secret } = await readData<Record<string, string>>(started)
    expect(qr_svg).toStartWith('<svg')
    expect(address).toContain(`secret=${secret}`)
    expect(await isSignedIn(person, (await sendPassword(server, person)).cookie)).toBe(true)
    await addApp(person)
    expect((await person.json('POST', '/api/v1/private/me/authenticator')).status).toBe(409)
  })

  test('a code confirms only the secret it was made from, also while another browser begins again', async () => {
    const person = await signUp(server)
    const begin = async () =>
      await readData<{ secret: string }>(await person.json('POST', '/api/v1/private/me/authenticator'))
    const { secret } = await begin()
    const confirm = (of: string) =>
      person.json('POST', '/api/v1/private/me/authenticator/confirm', {
        code: makeCode(of, stepAt(Date.now())),
      })
    const isUsed = async () =>
      (await readData<{ authenticator_app: boolean }>(await person.fetch('/api/v1/private/me/factors')))
        .authenticator_app
    // Holds the first browser up between the check of its code and the change.
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const lock = server.deps.db.transaction(async (tx) => {
      await lockUser(tx, person.uid)
      hold()
      await released
    })
    await held
    const first = confirm(secret)
    const hasTaken = async () => ((await findAuthenticator(server.deps.db, person.uid))?.lastStep ?? 0) > 0
    await waitFor('the code of the first browser', hasTaken)
    const other = await begin()
    release()
    await lock
    expect((await first).status).toBe(409)
    expect(await isUsed()).toBe(false)
    expect((await confirm(secret)).status).toBe(400)
    expect((await confirm(other.secret)).status).toBe(200)
    expect(await isUsed()).toBe(true)
  })

  test('new codes end the old ones; removing the app makes the password enough again', async () => {
    const person = await signUp(server)
    const { recoveryCodes } = await addApp(person)
    expect((await person.json('POST', '/api/v1/private/me/recovery-codes')).status).toBe(200)
    const step = await sendPassword(server, person)
    const code = recoveryCodes[0] ?? ''
    expect((await sendCode(server, person, step.cookie, { code }, 'backup-code')).answer.status).toBe(400)
    expect((await person.json('DELETE', '/api/v1/private/me/authenticator')).status).toBe(200)
    expect(await isSignedIn(person, (await sendPassword(server, person)).cookie)).toBe(true)
    await waitForMail(server, person.email, 'A way to sign in was removed')
  })
})
