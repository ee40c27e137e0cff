import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { noticeMails } from '../../../../../src/db/schema/notices.ts'
import {
  changeSettings,
  listMails,
  runAtOnce,
  runDigestOf,
  signUpFollower,
} from '../../../../helpers/digests/digests.ts'
import { startSmtp } from '../../../../helpers/digests/smtp.ts'
import { readData } from '../../../../helpers/json.ts'
import {
  type GameRow,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
} from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { listNotices, postsPath, publishPost } from '../../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const smtp = await startSmtp()
afterAll(async () => await smtp[Symbol.asyncDispose]())
const server = useStore({ TRUST_PROXY: '1', SMTP_URL: smtp.url })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { name: 'Lantern Bay' })
})

async function signUpEager(games: readonly GameRow[] = [game]): Promise<Person> {
  const person = await signUpFollower(server, games)
  await changeSettings(person, { kinds: { post: 'at_once' } })
  return person
}

async function post(title: string, made = game): Promise<string> {
  const { uid } = await publishPost(owner, made, { title })
  const [event] = await listNotices(server, uid)
  return event?.uid ?? ''
}

/** Moves the mails of a person into the past. */
async function waitAMinute(person: Person): Promise<void> {
  await server.deps.db
    .update(noticeMails)
    .set({ startedAt: sql`${noticeMails.startedAt} - interval '2 minutes'` })
    .where(eq(noticeMails.userUid, person.uid))
}

const queuedJobs = async (eventUid: string) =>
  await server.deps.db.execute(
    sql`select 1 from graphile_worker._private_jobs where payload ->> 'eventUid' = ${eventUid}`,
  )

describe('an event that is mailed at once', () => {
  test('has one job, whoever follows', async () => {
    const event = await post('One job')
    expect(await queuedJobs(event)).toHaveLength(1)
  })

  test('goes to who chose it, once, and is in no digest', async () => {
    const [eager, calm] = [await signUpEager(), await signUpFollower(server, [game])]
    const event = await post('The lamp turns again')
    await runAtOnce(server, event)
    await runAtOnce(server, event)
    const [mail, ...more] = smtp.mailsTo(eager.email)
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Lantern Bay: The lamp turns again')
    expect(mail?.source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(mail?.html).toContain('>Open it</a>')
    expect(smtp.mailsTo(calm.email)).toEqual([])
    await changeSettings(eager, { kinds: { post: 'digest' } })
    await runDigestOf(server, eager)
    expect(smtp.mailsTo(eager.email)).toHaveLength(1)
    await runDigestOf(server, calm)
    expect(smtp.mailsTo(calm.email)).toHaveLength(1)
  })

  test('goes once when two processes walk at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => signUpEager()))
    const event = await post('Two processes')
    await Promise.all([runAtOnce(server, event), runAtOnce(server, event), runAtOnce(server, event)])
    for (const { email } of people) expect(smtp.mailsTo(email)).toHaveLength(1)
  })

  test('comes with what happens within the next minute', async () => {
    const made = await insertPublicGame(server, owner)
    const person = await signUpEager([made])
    await runAtOnce(server, await post('The first', made))
    const others = [await post('The second', made), await post('The third', made)]
    for (const event of others) await runAtOnce(server, event)
    expect(smtp.mailsTo(person.email)).toHaveLength(1)
    await waitAMinute(person)
    await runAtOnce(server, others[0] ?? '')
    const [, second, ...more] = smtp.mailsTo(person.email)
    expect(more).toEqual([])
    expect(second?.text).toContain('The second')
    expect(second?.text).toContain('The third')
    expect(second?.text).not.toContain('The first')
    expect((await listMails(server, person)).every(({ sentAt }) => sentAt !== null)).toBe(true)
  })

  test('is not mailed when it is withdrawn, or no longer wanted', async () => {
    const person = await signUpEager()
    const { uid } = await publishPost(owner, game, { title: 'Said too early' })
    const [event] = await listNotices(server, uid)
    await owner.json('PATCH', postsPath(game, `/${uid}`), { state: 'draft' })
    await runAtOnce(server, event?.uid ?? '')
    await changeSettings(person, { kinds: { post: 'never' } })
    await runAtOnce(server, await post('Not wanted'))
    expect(smtp.mailsTo(person.email)).toEqual([])
    expect(await listMails(server, person)).toEqual([])
  })

  test('reaches followers of the developer, and not who does not follow', async () => {
    const [fan, stranger] = [await signUpEager([]), await signUpEager([])]
    await fan.json('PUT', `/api/v1/private/follows/developers/${owner.uid}`, {})
    await runAtOnce(server, await post('By a developer'))
    expect(smtp.mailsTo(fan.email)).toHaveLength(1)
    expect(smtp.mailsTo(stranger.email)).toEqual([])
  })
})

test('an answer to a review is mailed at once to its writer', async () => {
  const player = await signUpFollower(server, [])
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, 120)
  const path = `/api/v1/private/games/${game.uid}`
  const written = await player.json('PUT', `${path}/review`, { rating: 4, text: 'Fine lamps.' })
  const { uid } = await readData<{ uid: string }>(written)
  const answered = await owner.json('PUT', `${path}/reviews/${uid}/answer`, { text: 'Thank you!' })
  expect(answered.status).toBe(201)
  const [row] = await server.deps.db.execute<{ uid: string }>(
    sql`select uid from notice_events where user_uid = ${player.uid} and kind = 'review_answer'`,
  )
  await runAtOnce(server, row?.uid ?? '')
  const [mail] = smtp.mailsTo(player.email)
  expect(mail?.subject).toBe('Answer to your review: Lantern Bay')
  expect(mail?.text).toContain('Thank you!')
})
