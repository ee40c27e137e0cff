import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { runDigests as runCommand } from '../../../../../src/commands/digests.ts'
import { users } from '../../../../../src/db/schema/accounts.ts'
import { games } from '../../../../../src/db/schema/games/games.ts'
import { noticeSettings } from '../../../../../src/db/schema/notices.ts'
import { recordDueDigests } from '../../../../../src/features/community/digests/due.ts'
import {
  changeSettings,
  findSettingsRow,
  listMails,
  makeDigestDue,
  runDigestOf,
  runDigests,
  sendWaiting,
  signUpFollower,
} from '../../../../helpers/digests/digests.ts'
import { startSmtp } from '../../../../helpers/digests/smtp.ts'
import { type GameRow, insertPublicGame } from '../../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../../helpers/operators.ts'
import { signUp } from '../../../../helpers/people.ts'
import { postsPath, publishPost } from '../../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const smtp = await startSmtp()
afterAll(async () => await smtp[Symbol.asyncDispose]())
const server = useStore({ TRUST_PROXY: '1', SMTP_URL: smtp.url })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { name: 'Lantern Bay' })
})

const record = () => recordDueDigests(server.deps, new AbortController().signal)

describe('a digest', () => {
  test('tells what is new by listing, as text and HTML, and once', async () => {
    const other = await insertPublicGame(server, owner, { name: 'Night Ferry' })
    const person = await signUpFollower(server, [game, other])
    await publishPost(owner, game, { title: 'The lamp turns again', markdown: 'It **shines**.' })
    await publishPost(owner, other, { title: 'A new pier' })
    await runDigestOf(server, person)
    const [mail, ...more] = smtp.mailsTo(person.email)
    expect(more).toEqual([])
    expect(mail?.subject).toBe('News of Night Ferry and 1 other')
    expect(mail?.source).toMatch(/^Content-Type: multipart\/alternative;/m)
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('Lantern Bay')
      expect(part).toContain('The lamp turns again')
      expect(part).toContain('It shines.')
      expect(part).toContain('A new pier')
      expect(part).toContain(`${server.deps.config.baseUrl}/notices`)
    }
    expect(mail?.html.match(/class="button"/g)).toHaveLength(1)
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
  })

  test('can be ended by one click: its headers say how', async () => {
    const person = await signUpFollower(server, [game])
    await publishPost(owner, game, { title: 'Headers' })
    await runDigestOf(server, person)
    const [mail] = smtp.mailsTo(person.email)
    const head = (mail?.source ?? '').split(/\r?\n\r?\n/)[0]?.replaceAll(/\r?\n[ \t]+/g, ' ') ?? ''
    expect(head).toMatch(/^List-Unsubscribe: <http:\/\/[^>]+\/notices\/unsubscribe\/[\w.-]+>$/m)
    expect(head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
  })

  test('is not sent without something new, and the next one is scheduled all the same', async () => {
    const person = await signUpFollower(server, [game])
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toEqual([])
    expect(await listMails(server, person)).toEqual([])
    expect((await findSettingsRow(server, person))?.nextDigestAt?.getTime()).toBeGreaterThan(Date.now())
  })

  test('leaves out kinds that are not for it', async () => {
    const person = await signUpFollower(server, [game])
    await changeSettings(person, { kinds: { post: 'never' } })
    await publishPost(owner, game, { title: 'Not for everybody' })
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toEqual([])
  })

  test('leaves out what was read', async () => {
    const person = await signUpFollower(server, [game])
    await publishPost(owner, game, { title: 'Read already' })
    const until = new Date().toISOString()
    const read = await person.json('POST', '/api/v1/private/notices/read', { until })
    expect(read.status).toBe(200)
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toEqual([])
  })

  test('has few lines of each listing, and counts the others', async () => {
    const busy = await insertPublicGame(server, owner)
    const person = await signUpFollower(server, [busy])
    for (let index = 1; index <= 9; index += 1)
      await publishPost(owner, busy, { title: `Post number ${index}` })
    await runDigestOf(server, person)
    const [mail] = smtp.mailsTo(person.email)
    expect(mail?.text.match(/Post number/g)).toHaveLength(4)
    expect(mail?.text).toContain('And 5 more.')
    expect(mail?.html).toContain('And 5 more.')
  })

  test('has the text of the post as it is then', async () => {
    const person = await signUpFollower(server, [game])
    const edited = await publishPost(owner, game, { title: 'With a tpyo' })
    const withdrawn = await publishPost(owner, game, { title: 'Said too early' })
    await makeDigestDue(server, person)
    await record()
    await owner.json('PATCH', postsPath(game, `/${edited.uid}`), { title: 'Without a typo' })
    await owner.json('PATCH', postsPath(game, `/${withdrawn.uid}`), { state: 'draft' })
    await sendWaiting(server)
    const [mail] = smtp.mailsTo(person.email)
    expect(mail?.text).toContain('Without a typo')
    expect(mail?.text).not.toMatch(/With a tpyo|too early/)
  })

  test.each<[string, Partial<typeof games.$inferInsert>]>([
    ['a draft', { visibility: 'draft' }],
    ['private', { visibility: 'owner' }],
    ['for adults', { adult: true }],
  ])('says nothing of what became %s', async (_, change) => {
    const hidden = await insertPublicGame(server, owner)
    const person = await signUpFollower(server, [hidden])
    await publishPost(owner, hidden, { title: 'Hidden in the meantime' })
    await makeDigestDue(server, person)
    await record()
    await server.deps.db.update(games).set(change).where(eq(games.uid, hidden.uid))
    await sendWaiting(server)
    expect(smtp.mailsTo(person.email)).toEqual([])
    expect(await listMails(server, person)).toEqual([])
  })

  test('says nothing of a listing or a post that operators took down', async () => {
    const operator = await signUpOperator(server)
    const [down, kept] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    const person = await signUpFollower(server, [down, kept])
    await publishPost(owner, down, { title: 'On a page that goes' })
    const post = await publishPost(owner, kept, { title: 'A post that goes' })
    const reason = 'Stolen.'
    expect((await act(operator, `listings/${down.uid}/take-down`, { reason })).status).toBe(200)
    expect((await act(operator, `posts/${post.uid}/take-down`, { reason })).status).toBe(200)
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toEqual([])
  })

  test('shows hostile names as text, without links of others', async () => {
    const hostile = await insertPublicGame(server, owner, { name: '<b>Bay</b> \u202ewww.evil.example' })
    const person = await signUpFollower(server, [hostile])
    await publishPost(owner, hostile, { title: 'مصباح https://evil.example <img>' })
    await runDigestOf(server, person)
    const [mail] = smtp.mailsTo(person.email)
    expect(mail?.text).toContain('مصباح')
    expect(mail?.html).not.toMatch(/<b>Bay|<img>|href="[^"]*evil\.example/)
    expect(mail?.text).not.toMatch(/https:\/\/evil\.example|\u202e/)
  })
})

describe('digests go', () => {
  test('only to confirmed addresses of accounts that are not suspended', async () => {
    const [plain, suspended] = [await signUp(server), await signUpFollower(server, [game])]
    await plain.json('PUT', `/api/v1/private/follows/games/${game.uid}`, {})
    await changeSettings(plain, { hour: 3 })
    await publishPost(owner, game, { title: 'For the others' })
    await server.deps.db.update(users).set({ suspendedAt: new Date() }).where(eq(users.id, suspended.uid))
    for (const person of [plain, suspended]) {
      await runDigestOf(server, person)
      expect(smtp.mailsTo(person.email)).toEqual([])
      expect((await findSettingsRow(server, person))?.nextDigestAt?.getTime()).toBeGreaterThan(Date.now())
    }
    await server.deps.db.update(users).set({ suspendedAt: null }).where(eq(users.id, suspended.uid))
    await runDigestOf(server, suspended)
    expect(smtp.mailsTo(suspended.email)).toHaveLength(1)
  })

  test('once a day at most, whatever is changed and asked for in between', async () => {
    const person = await signUpFollower(server, [game])
    await changeSettings(person, { digest: 'daily' })
    await publishPost(owner, game, { title: 'In the morning' })
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
    await publishPost(owner, game, { title: 'In the evening' })
    await changeSettings(person, { hour: 23 })
    await changeSettings(person, { digest: 'weekly' })
    const { next_digest_at: next } = await changeSettings(person, { digest: 'daily' })
    const today = new Date().toISOString().slice(0, 10)
    expect(next?.slice(0, 10)).not.toBe(today)
    expect(await runCommand(server.deps, ['--now'])).toStartWith('Sent ')
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toHaveLength(2)
    expect(smtp.mailsTo(person.email)[1]?.text).not.toContain('In the morning')
  })

  test('once when two processes look at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signUpFollower(server, [game])))
    await publishPost(owner, game, { title: 'Told once' })
    for (const person of people) await makeDigestDue(server, person)
    await Promise.all([runDigests(server), runDigests(server), runDigests(server)])
    await sendWaiting(server)
    for (const { email } of people) expect(smtp.mailsTo(email)).toHaveLength(1)
  })

  test('once after days without a mail server, with all that is new', async () => {
    const person = await signUpFollower(server, [game])
    await changeSettings(person, { digest: 'daily' })
    await publishPost(owner, game, { title: 'On the first day' })
    await makeDigestDue(server, person)
    await record()
    await publishPost(owner, game, { title: 'On the second day' })
    await makeDigestDue(server, person)
    await record()
    await sendWaiting(server)
    const [mail, ...more] = smtp.mailsTo(person.email)
    expect(more).toEqual([])
    expect(mail?.text).toContain('On the first day')
    expect(mail?.text).toContain('On the second day')
  })

  test('by the command, whatever the hour, and say how many', async () => {
    const person = await signUpFollower(server, [game])
    await publishPost(owner, game, { title: 'By hand' })
    expect(await runCommand(server.deps, ['--now'])).toMatch(/^Sent \d+ digests?\.$/)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
    expect(runCommand(server.deps, [])).rejects.toThrow('digests takes: --now')
  })

  test('also to accounts that have a row of settings from reading only', async () => {
    const person = await signUpFollower(server, [game])
    await server.deps.db.insert(noticeSettings).values({ userUid: person.uid, readUntil: new Date() })
    await publishPost(owner, game, { title: 'After reading' })
    await runDigestOf(server, person)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
  })
})
