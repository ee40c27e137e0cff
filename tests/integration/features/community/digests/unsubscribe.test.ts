import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { readSettings, runDigestOf, signUpFollower } from '../../../../helpers/digests/digests.ts'
import { startSmtp } from '../../../../helpers/digests/smtp.ts'
import { type GameRow, insertPublicGame } from '../../../../helpers/listings.ts'
import { publishPost } from '../../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const smtp = await startSmtp()
afterAll(async () => await smtp[Symbol.asyncDispose]())
const server = useStore({ TRUST_PROXY: '1', SMTP_URL: smtp.url })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

/** Somebody who got a digest, the path of its one-click address and that of the link for posts. */
async function makeReader() {
  const person = await signUpFollower(server, [game])
  await publishPost(owner, game)
  await runDigestOf(server, person)
  const [mail] = smtp.mailsTo(person.email)
  const head = (mail?.source ?? '').replaceAll(/\r?\n[ \t]+/g, ' ')
  const [, header = ''] = /^List-Unsubscribe: <([^>]+)>/m.exec(head) ?? []
  const [, link = ''] = /^Posts: (\S+)$/m.exec(mail?.text ?? '') ?? []
  return { person, mail, oneClick: new URL(header).pathname, link: new URL(link).pathname }
}

/** As providers of mail send it: no cookies, no origin. */
const click = (path: string, init: RequestInit = {}) =>
  server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
    ...init,
  })

describe('the one-click address of a mail', () => {
  test('ends what the mail is about, without signing in', async () => {
    const { person, oneClick } = await makeReader()
    expect((await readSettings(person)).kinds.post).toBe('digest')
    const answer = await click(oneClick)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('no more mails about posts')
    expect((await readSettings(person)).kinds).toMatchObject({ post: 'never', release: 'digest' })
    expect((await click(oneClick)).status).toBe(200)
    await publishPost(owner, game)
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
  })

  test('takes the other form of the body, too', async () => {
    const { person, oneClick } = await makeReader()
    const body = new FormData()
    body.set('List-Unsubscribe', 'One-Click')
    expect((await server.fetch(oneClick, { method: 'POST', body })).status).toBe(200)
    expect((await readSettings(person)).kinds.post).toBe('never')
  })

  test('ends nothing when it is opened, whoever opens it', async () => {
    const { person, oneClick } = await makeReader()
    for (const init of [{}, { method: 'HEAD' }]) {
      expect((await server.fetch(oneClick, init)).status).toBe(200)
      expect((await person.fetch(oneClick, init)).status).toBe(200)
    }
    expect((await readSettings(person)).kinds.post).toBe('digest')
  })

  test('shows a page with a button that does it', async () => {
    const { person, link } = await makeReader()
    const page = await (await server.fetch(link)).text()
    expect(page).toContain('mails about posts')
    expect(page).toContain(`action="${link}"`)
    const origin = new URL(server.url).origin
    const pressed = await click(link, { headers: { origin }, body: '' })
    expect(pressed.status).toBe(303)
    const shown = await (await server.fetch(pressed.headers.get('location') ?? '')).text()
    expect(shown).toContain('You get no more mails about posts')
    expect((await readSettings(person)).kinds.post).toBe('never')
  })
})

test.each<[string, (token: string, other: string) => string]>([
  ['another kind', (token) => token.replace('.post.', '.release.')],
  ['an unknown kind', (token) => token.replace('.post.', '.news.')],
  ['another account', (token, other) => token.replace(/^[^.]+/, other)],
  ['a changed signature', (token) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`],
  ['no signature', (token) => token.split('.').slice(0, 2).join('.')],
  ['more than it has', (token) => `${token}.x`],
  ['nothing', () => 'x'],
  ['a part of the path', () => '%2e%2e%2f'],
  ['a long text', () => 'a'.repeat(5000)],
  ['RTL marks', () => '%E2%80%AE'],
])('a token with %s ends nothing', async (_, forge) => {
  const [{ person, link }, other] = [await makeReader(), await signUpFollower(server, [])]
  const token = forge(link.split('/').at(-1) ?? '', other.uid)
  const path = `/notices/unsubscribe/${token}`
  expect([404, 414]).toContain((await click(path)).status)
  expect([404, 414]).toContain((await server.fetch(path)).status)
  expect((await readSettings(person)).kinds).toMatchObject({ post: 'digest', release: 'digest' })
  expect((await readSettings(other)).kinds).toMatchObject({ post: 'digest', release: 'digest' })
})

test('the address of a deleted account says nothing about it', async () => {
  const { person, oneClick } = await makeReader()
  await person.json('DELETE', '/api/v1/private/me', { password: person.password })
  expect((await click(oneClick)).status).toBe(200)
})
