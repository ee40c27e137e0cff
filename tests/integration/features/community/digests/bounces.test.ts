import { afterAll, beforeEach, describe, expect, test } from 'bun:test'

import {
  findSettingsRow,
  listMails,
  makeDigestDue,
  readSettings,
  runDigestOf,
  runDigests,
  sendWaiting,
  signUpFollower,
} from '../../../../helpers/digests/digests.ts'
import { startSmtp } from '../../../../helpers/digests/smtp.ts'
import { type GameRow, insertPublicGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { publishPost } from '../../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const smtp = await startSmtp()
afterAll(async () => await smtp[Symbol.asyncDispose]())
const server = useStore({ TRUST_PROXY: '1', SMTP_URL: smtp.url, ROLE: 'all' })
const owner = usePerson(server)
let game: GameRow
let person: Person
beforeEach(async () => {
  smtp.judge = () => null
  game = await insertPublicGame(server, owner)
  person = await signUpFollower(server, [game])
  await waitFor('the mail of the sign-up', () => confirmations().length === 1)
})

const refuse = (code: number, when: 'recipient' | 'data' | 'cut' = 'recipient') => {
  smtp.judge = (email) => (email === person.email ? { code, when } : null)
}
const confirmations = () =>
  smtp.mailsTo(person.email).filter(({ subject }) => subject === 'Confirm your e-mail address')
const digests = () => smtp.mailsTo(person.email).filter(({ subject }) => subject.startsWith('News of'))

async function tryDigest(title: string): Promise<void> {
  await publishPost(owner, game, { title })
  await runDigestOf(server, person)
  await waitFor('the mail was tried', async () => {
    const mails = await listMails(server, person)
    return mails.length > 0 && mails.every(({ startedAt }) => startedAt !== null)
  })
}

describe('an address that refuses mails for good', () => {
  test.each(['recipient', 'data'] as const)(
    'three times (%s) gets no digests until it is confirmed again',
    async (when) => {
      refuse(550, when)
      for (const [index, title] of ['One', 'Two', 'Three'].entries()) {
        await tryDigest(title)
        await waitFor('the bounce was counted', async () => {
          return (await findSettingsRow(server, person))?.bounces === index + 1
        })
      }
      expect((await readSettings(person)).stopped).toBe('bounced')
      smtp.judge = () => null
      await publishPost(owner, game, { title: 'Nobody hears of it' })
      await runDigestOf(server, person)
      expect(digests()).toEqual([])
      expect((await listMails(server, person)).length).toBe(3)

      const page = await (await person.fetch('/account/notices')).text()
      expect(page).toContain('came back')
      const asked = await person.fetch('/account/notices/confirm', { method: 'POST', body: '' })
      expect(asked.status).toBe(303)
      const mail = await waitFor('the link', () => confirmations()[1])
      const token = new URL(mail.link).searchParams.get('token') ?? ''
      const body = new URLSearchParams({ token })
      expect((await person.fetch('/verify', { method: 'POST', body })).status).toBe(303)
      expect((await readSettings(person)).stopped).toBeNull()
      await tryDigest('Everybody hears of it')
      await waitFor('the digest', () => digests().length === 1)
      expect(digests()[0]?.text).toContain('Everybody hears of it')
    },
  )

  test('and takes one in between counts from the beginning', async () => {
    refuse(550)
    await tryDigest('One')
    await tryDigest('Two')
    smtp.judge = () => null
    await tryDigest('Three')
    await waitFor('the count ended', async () => (await findSettingsRow(server, person))?.bounces === 0)
    expect((await readSettings(person)).stopped).toBeNull()
  })
})

describe('a mail server that', () => {
  test('is busy gets the mail later, and nothing is counted', async () => {
    let refused = 0
    smtp.judge = (email) => {
      if (email !== person.email) return null
      refused += 1
      return { code: 451, when: 'recipient' }
    }
    await publishPost(owner, game, { title: 'Later' })
    await runDigestOf(server, person).catch(() => undefined)
    await waitFor('the mail was refused', () => refused > 0)
    expect(digests()).toEqual([])
    smtp.judge = () => null
    await waitFor('the mail', async () => {
      await sendWaiting(server).catch(() => undefined)
      return digests().length > 0
    })
    expect(digests()).toHaveLength(1)
    expect((await findSettingsRow(server, person))?.bounces).toBe(0)
  })

  test('breaks off after it has the mail is not given it twice', async () => {
    refuse(0, 'cut')
    await publishPost(owner, game, { title: 'Cut off' })
    await makeDigestDue(server, person)
    await runDigests(server)
    await waitFor('the mail arrived', () => digests().length === 1)
    await waitFor('it was begun', async () => (await listMails(server, person))[0]?.startedAt)
    smtp.judge = () => null
    await sendWaiting(server)
    expect(digests()).toHaveLength(1)
    expect((await findSettingsRow(server, person))?.bounces).toBe(0)
  })
})
