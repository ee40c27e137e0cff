import { describe, expect, test } from 'bun:test'

import { passkeys } from '../../../src/db/schema/accounts.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { makeCode, stepAt } from '../../../src/lib/totp.ts'
import { insertGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, readCookies, signUp } from '../../helpers/people.ts'
import {
  addApp,
  ageConfirmation,
  mergeCookies,
  unusedCode,
  withCookie,
} from '../../helpers/sign-in/factors.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

const open = (person: Person, path: string) => person.fetch(path, { headers: { accept: 'text/html' } })

const send = (person: Person, path: string, form: Record<string, string>, referer = path) =>
  submitForm(person, path, form, { referer: server.url + referer })

describe('the website', () => {
  test('a password leads to the second step, and a code of the app on to the page that was asked for', async () => {
    const person = await signUp(server)
    const app = await addApp(person)
    const guest = withCookie(server, person, 'x=y')
    const { email, password } = person
    const answer = await send(guest, '/sign-in', { email, password, next: '/library' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/second-step?next=%2Flibrary')
    const waiting = withCookie(server, person, mergeCookies('x=y', readCookies(answer)))
    expect(await (await open(waiting, '/second-step?next=%2Flibrary')).text()).toContain('Second step')
    const wrong = await send(waiting, '/second-step', { code: '000000', next: '/library' })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toContain('was used before')
    const code = await unusedCode(server, person, app)
    const done = await send(waiting, '/second-step', { code, next: '/library' })
    expect(done.headers.get('location')).toBe('/library')
  })

  test('a dangerous form leads to Confirm it is you, and from there back to its page', async () => {
    const person = await signUp(server)
    await ageConfirmation(server, person)
    const form = { label: 'Laptop', scopes: 'player:read' }
    const refused = await send(person, '/account/keys', form, '/account')
    expect(refused.status).toBe(303)
    const to = refused.headers.get('location') ?? ''
    expect(to).toBe('/confirm?next=%2Faccount')
    expect(await (await open(person, to)).text()).toContain('Confirm it is you')
    const wrong = await send(person, '/confirm', { password: 'not it', next: '/account' })
    expect(wrong.status).toBe(400)
    const right = await send(person, '/confirm', { password: person.password, next: '/account' })
    expect(right.headers.get('location')).toBe('/account')
    expect((await send(person, '/account/keys', form)).status).toBe(201)
  })

  test.each([
    '/account/authenticator',
    '/account/recovery-codes',
    '/account/connections/forge/remove',
    '/studio/:uid/deploy-keys',
    '/studio/:uid/publishing',
    '/studio/:uid/publishing/policy',
    '/studio/:uid/publishing/00000000-0000-7000-8000-000000000000/remove',
    '/studio/:uid/team/invite',
    '/studio/:uid/sign-in/enable',
    '/studio/:uid/sign-in/auth-key',
    '/studio/:uid/sign-in/auth-key/renew',
    '/operate/search/rebuild',
  ])('the form %s needs a session that confirmed itself lately', async (path) => {
    const person = await signUpOperator(server)
    const game = await insertGame(server, person)
    await ageConfirmation(server, person)
    const answer = await send(person, path.replace(':uid', game.uid), {}, '/account')
    expect(answer.headers.get('location')).toBe('/confirm?next=%2Faccount')
  })

  test('the section Sign-in security shows the app once, then the codes, and says why passkeys are off', async () => {
    const person = await signUp(server)
    const page = await (await open(person, '/account/security')).text()
    expect(page).toContain('Sign-in security')
    expect(page).toContain('Passkeys need a host name')
    const started = await (await send(person, '/account/authenticator', {})).text()
    expect(started).toContain('<svg')
    const secret = /<code class="secret">([A-Z2-7]{32})<\/code>/.exec(started)?.[1] ?? ''
    const code = makeCode(secret, stepAt(Date.now()))
    const codes = codesOf(await (await send(person, '/account/authenticator/confirm', { code })).text())
    const later = await (await open(person, '/account/security')).text()
    expect(later).not.toContain('class="secret"')
    expect(later).toContain('10 left')
    const renewed = codesOf(await (await send(person, '/account/recovery-codes', {})).text())
    expect(renewed.filter((renewedCode) => codes.includes(renewedCode))).toEqual([])
  })

  /** The ten new codes, on a page of their own. */
  function codesOf(page: string): string[] {
    expect(page).toContain('<h1>Recovery codes</h1>')
    expect(page).toContain('They are not shown again.')
    expect(page).toContain('href="/account/security#security">Done</a>')
    expect(page).not.toContain('action="/account/recovery-codes"')
    const codes = [...page.matchAll(/<code class="secret">([a-z2-7-]{19})<\/code>/g)].flatMap(
      ([, code]) => code ?? [],
    )
    expect(codes).toHaveLength(10)
    return codes
  }

  test('after a wrong code the page shows the same QR code again', async () => {
    const person = await signUp(server)
    const secretOf = (html: string) => /<code class="secret">([A-Z2-7]{32})<\/code>/.exec(html)?.[1]
    const started = secretOf(await (await send(person, '/account/authenticator', {})).text())
    const refused = await send(person, '/account/authenticator/confirm', { code: '000000' })
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('is wrong or was used before')
    expect(started).toBeDefined()
    expect(secretOf(page)).toBe(started)
  })

  test('a passkey is renamed, and its name is shown as it is', async () => {
    const person = await signUp(server)
    const uid = createUid()
    const key = { publicKey: 'x', credentialID: uid, counter: 0, deviceType: 'singleDevice', backedUp: false }
    await server.deps.db.insert(passkeys).values({ id: uid, userId: person.uid, name: 'Key', ...key })
    const rename = (name: string) => send(person, `/account/passkeys/${uid}/rename`, { name })
    expect((await rename(' ')).status).toBe(400)
    const renamed = await rename('<b>Desk</b>')
    expect(renamed.headers.get('location')).toBe('/account/security?done=renamed#security')
    expect(await (await open(person, '/account/security')).text()).toContain('&lt;b>Desk&lt;/b>')
    const other = await signUp(server)
    expect((await send(other, `/account/passkeys/${uid}/rename`, { name: 'Mine' })).status).toBe(404)
  })

  test('where the policy asks for a factor, operators and publishers are led to set one up', async () => {
    const operator = await signUpOperator(server)
    const other = await signUpOperator(server)
    await addApp(other)
    const policy = (second_factor: string) =>
      other.json('PATCH', '/api/v1/operator/settings', { second_factor })
    expect((await policy('publishers')).status).toBe(200)
    try {
      const answer = await open(operator, '/operate')
      expect(answer.headers.get('location')).toBe('/account/security?needs=factor#security')
      const game = await insertGame(server, operator)
      const approval = `approvals/${crypto.randomUUID()}`
      for (const form of [
        'deploy-keys',
        'publishing',
        'publishing/policy',
        `channels/${approval}`,
        `bugs/settings/${approval}`,
      ]) {
        const sent = await send(operator, `/studio/${game.uid}/${form}`, {})
        expect(sent.headers.get('location')).toBe('/account/security?needs=factor#security')
      }
      for (const channel of ['stable', ' stable\n']) {
        const promoted = await send(operator, `/studio/${game.uid}/channels/promote`, { channel })
        expect(promoted.headers.get('location')).toBe('/account/security?needs=factor#security')
      }
      const page = await (await open(operator, '/account/security?needs=factor')).text()
      expect(page).toContain('asks you for a second factor')
    } finally {
      await policy('optional')
    }
  })

  test('operators choose who must have a second factor, unless another one did so meanwhile', async () => {
    const operator = await signUpOperator(server)
    await addApp(operator)
    const path = '/operate/settings'
    const page = async () => await (await open(operator, path)).text()
    const revisionOf = (html: string) => /name="revision" value="(\d+)"/.exec(html)?.[1] ?? ''
    const before = await page()
    expect(before).toMatch(/value="optional" selected/)
    const choose = (second_factor: string, revision: string) =>
      send(operator, path, { second_factor, revision })
    try {
      const answer = await choose('operators', revisionOf(before))
      expect(answer.headers.get('location')).toBe('/operate/settings?done=saved#policies')
      expect(await page()).toMatch(/value="operators" selected/)
      const stale = await choose('optional', revisionOf(before))
      expect(stale.status).toBe(412)
      expect(await stale.text()).toContain('was changed after you read it')
      expect((await choose('nobody', revisionOf(await page()))).status).toBe(400)
      expect(await page()).toMatch(/value="operators" selected/)
      expect(await (await open(operator, '/operate/audit')).text()).toContain(
        'second_factor: optional → operators',
      )
    } finally {
      await choose('optional', revisionOf(await page()))
    }
  })

  test('operators reset the factors of somebody who lost them, with a reason', async () => {
    const operator = await signUpOperator(server)
    const person = await signUp(server)
    await addApp(person)
    const path = `/operate/accounts/${person.uid}/reset-factors`
    expect(await (await open(operator, path)).text()).toContain('Reset sign-in factors')
    expect((await send(operator, path, { reason: '' })).status).toBe(400)
    expect((await send(operator, path, { reason: 'They lost their phone.' })).status).toBe(303)
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
    const { email, password } = person
    const guest = withCookie(server, person, 'x=y')
    const answer = await send(guest, '/sign-in', { email, password, next: '/library' })
    expect(answer.headers.get('location')).toBe('/library')
  })
})
