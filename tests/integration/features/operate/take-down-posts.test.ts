import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import { pageReports } from '../../../../src/db/schema/operate.ts'
import type { Act } from '../../../../src/features/audit/model.ts'
import type { Report } from '../../../../src/features/community/reports/model.ts'
import type { OperatorPost, PageReport } from '../../../../src/features/operate/moderation/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import {
  listNotices,
  listPublic,
  postsPath,
  publishPost,
  readPost,
  writePost,
} from '../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const REASON = 'It advertises another store.'
const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const operator = usePerson(server, signUpOperator)
const owner = usePerson(server)
const player = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

const takeDown = (uid: string) => act(operator, `posts/${uid}/take-down`, { reason: REASON })
const restore = (uid: string) => act(operator, `posts/${uid}/restore`)
const isShown = async (uid: string) => (await listPublic(server, game)).some((post) => post.uid === uid)

describe('taking a post down', () => {
  test('hides it and its picture at once, tells the owner why, and can be undone', async () => {
    const post = await publishPost(owner, game, { title: 'Cheaper elsewhere' })
    const sent = await send(owner, postsPath(game, `/${post.uid}/picture`), await drawPng(70, 50))
    const { picture } = await readData<{ picture: { url: string } }>(sent)
    const media = new URL(picture.url).pathname

    const answer = await takeDown(post.uid)
    expect(answer.status).toBe(200)
    expect(await readData<OperatorPost>(answer)).toMatchObject({ taken_down: { reason: REASON } })
    expect(await isShown(post.uid)).toBe(false)
    expect((await server.fetch(`/api/v1/public/games/${game.uid}/posts/${post.slug}`)).status).toBe(404)
    expect((await server.fetch(`/games/${game.vanityName}/posts/${post.slug}`)).status).toBe(404)
    await waitFor('the picture is hidden', async () => (await server.fetch(media)).status === 404)
    expect((await readPost(owner, game, post.uid)).taken_down?.reason).toBe(REASON)
    const mail = await waitForMail(server, owner.email, `A post of ${game.name} was taken down`)
    expect(mail.text).toContain(REASON)
    expect(mail.html).toContain('>Your page</a>')
    const told = and(eq(noticeEvents.kind, 'operator'), eq(noticeEvents.userUid, owner.uid))
    expect(await server.deps.db.$count(noticeEvents, told)).toBe(1)

    expect(await readFailure(await takeDown(post.uid))).toMatchObject({ status: 409, code: 4090 })
    expect((await restore(post.uid)).status).toBe(200)
    expect(await isShown(post.uid)).toBe(true)
    await waitFor('the picture is back', async () => (await server.fetch(media)).status === 200)
    expect(await readFailure(await restore(post.uid))).toMatchObject({ status: 409, code: 4090 })
    await waitForMail(server, owner.email, `A post of ${game.name} is back`)
    expect(await countMails(server, owner.email, `A post of ${game.name} is back`)).toBe(1)
    expect(await listNotices(server, post.uid)).toHaveLength(1)
  })

  test('is written to the audit log', async () => {
    const post = await publishPost(owner, game, { title: 'Audited' })
    await takeDown(post.uid)
    await restore(post.uid)
    const acts = (await readData<Paged<Act>>(await operator.fetch('/api/v1/operator/audit'))).items
    const about = acts.filter(({ subject }) => subject.id === post.uid)
    expect(about.map((one) => [one.act, one.subject.kind, one.subject.name, one.reason])).toEqual([
      ['restore_post', 'post', 'Audited', null],
      ['take_down_post', 'post', 'Audited', REASON],
    ])
  })

  test('keeps its owner from publishing it', async () => {
    const post = await publishPost(owner, game, { title: 'Once more' })
    await takeDown(post.uid)
    const path = postsPath(game, `/${post.uid}`)
    expect((await owner.json('PATCH', path, { state: 'draft', title: 'Hidden' })).status).toBe(200)
    const refused = await readFailure(await owner.json('PATCH', path, { state: 'published' }))
    expect(refused).toMatchObject({ status: 403, code: 4030 })
    expect(refused.message).toContain(REASON)
    await restore(post.uid)
    expect((await owner.json('PATCH', path, { state: 'published' })).status).toBe(200)
  })

  test('needs a post and a reason', async () => {
    const { uid } = await writePost(owner, game)
    expect((await act(operator, `posts/${uid}/take-down`, {})).status).toBe(400)
    for (const other of [crypto.randomUUID(), 'x', game.uid]) expect((await takeDown(other)).status).toBe(404)
    expect((await act(owner, `posts/${uid}/take-down`, { reason: REASON })).status).toBe(404)
  })
})

describe('reporting a post', () => {
  const report = (post: string | undefined, ref = game.uid) =>
    player.json('POST', `/api/v1/private/games/${ref}/reports`, { reason: 'hateful', text: 'Look.', post })

  test('names it to the operators, and taking it down resolves the report', async () => {
    const post = await publishPost(owner, game, { title: 'Reported' })
    const sent = await report(post.uid)
    expect(sent.status).toBe(201)
    const { uid, post: named } = await readData<Report>(sent)
    expect(named).toBe(post.uid)
    const listed = await readData<Paged<PageReport>>(await operator.fetch('/api/v1/operator/reports'))
    expect(listed.items.find((one) => one.uid === uid)).toMatchObject({
      listing: { uid: game.uid },
      post: { uid: post.uid, title: 'Reported', taken_down: false },
    })
    const page = await (await operator.fetch('/operate/reports')).text()
    expect(page).toContain(`/operate/posts/${post.uid}/take-down`)
    await takeDown(post.uid)
    const [row] = await server.deps.db.select().from(pageReports).where(eq(pageReports.uid, uid))
    expect(row?.state).toBe('resolved')
  })

  test('of another listing, a draft or an unknown one is 404', async () => {
    const draft = await writePost(owner, game)
    const other = await insertPublicGame(server, owner)
    const post = await publishPost(owner, other)
    for (const uid of [draft.uid, post.uid, crypto.randomUUID()]) expect((await report(uid)).status).toBe(404)
    expect((await report('x')).status).toBe(400)
    const about = await readData<Report>(await report(undefined))
    expect(about.post).toBeNull()
  })
})
