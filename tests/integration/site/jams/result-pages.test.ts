import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { images } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import {
  addToJam,
  endVoting,
  enter,
  insertJam,
  insertVoters,
  insertVotes,
  type JamRow,
} from '../../../helpers/jams/voting.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const html = { headers: { accept: 'text/html' } }
const host = usePerson(server)
const maker = usePerson(server)

/** Two entries, of which the first one wins. */
async function insertVoted() {
  const jam = await insertJam(server, { title: '<b>Lantern</b> Jam' })
  await addToJam(server, jam, host, 'host')
  const [first, second] = [
    await enter(server, jam, maker, { game: { name: '=Night Ferry' } }),
    await enter(server, jam, host, { game: { name: 'Snow Globe' } }),
  ]
  const votes = (await insertVoters(server, 4)).flatMap((userUid) => [
    { userUid, entryUid: first.entry.uid, scores: [5, 3], comment: 'Loved it', commentPublic: true },
    { userUid, entryUid: second.entry.uid, scores: [2, 4] },
  ])
  await insertVotes(server, jam, votes)
  return { jam, first, second }
}

async function open(path: string, status = 200, person?: Person): Promise<string> {
  const answer = await (person ?? server).fetch(path, html)
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return text
}

const resultsPath = (jam: JamRow, tail = '') => `/jams/${jam.slug}/results${tail}`

describe('the page of the results', () => {
  test('waits for the end of the voting', async () => {
    const { jam } = await insertVoted()
    expect(await open(resultsPath(jam), 409)).toContain('The results are not out yet.')
    expect((await server.fetch(resultsPath(jam, '.csv'), html)).status).toBe(409)
  })

  test('lists entries by the whole and by each criterion, with the formula in words', async () => {
    const { jam, first } = await insertVoted()
    await endVoting(server, jam)
    const page = await open(resultsPath(jam))
    expect(page.indexOf('=Night Ferry')).toBeLessThan(page.indexOf('Snow Globe'))
    expect(page).toContain('>4.000<')
    expect(page).toContain('root of its ratings divided by 4')
    expect(page).not.toContain('<b>Lantern</b>')
    const byTheme = await open(resultsPath(jam, '?criterion=Theme'))
    expect(byTheme.indexOf('Snow Globe')).toBeLessThan(byTheme.indexOf('=Night Ferry'))
    const one = await open(resultsPath(jam, `/${first.game.vanityName}`))
    expect(one).toContain('1st place, with 4 ratings')
    expect(one.match(/Loved it/g)).toHaveLength(4)
  })

  test('shows covers, those of adult entries to who asked for such content', async () => {
    const { jam, first } = await insertVoted()
    await server.deps.db.update(games).set({ adult: true }).where(eq(games.uid, first.game.uid))
    await endVoting(server, jam)
    const [cover] = await server.deps.db.select().from(images).where(eq(images.gameUid, first.game.uid))
    const file = cover?.objectKey.split('/').at(-1) ?? ''
    const grownUp = await signUp(server)
    await grownUp.json('PATCH', '/api/v1/private/me', { adult_content: true })
    for (const path of [resultsPath(jam), resultsPath(jam, `/${first.game.vanityName}`)]) {
      expect(await open(path, 200, grownUp)).toContain(file)
      expect(await open(path)).not.toContain(file)
    }
  })

  test('is a file too, whose cells no spreadsheet runs', async () => {
    const { jam } = await insertVoted()
    await endVoting(server, jam)
    const file = await server.fetch(resultsPath(jam, '.csv'), html)
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${jam.slug}-results.csv"`)
    const [head = '', first = ''] = (await file.text()).split('\r\n')
    expect(head).toStartWith(
      'rank,name,developer,address,score,adjusted,ratings,Fun rank,Fun score,Fun adjusted',
    )
    expect(first).toStartWith("1,'=Night Ferry,")
  })

  test('reaches the store pages as a place among all entries', async () => {
    const { jam, first, second } = await insertVoted()
    const before = await open(`/games/${second.game.vanityName}`)
    expect(before).not.toContain('Places in jams')
    await endVoting(server, jam)
    for (const [place, { game }] of [
      ['1st', first],
      ['2nd', second],
    ] as const) {
      const page = await open(`/games/${game.vanityName}`)
      expect(page).toContain(`<strong>${place}</strong> of 2 in <bdi>&lt;b>Lantern&lt;/b> Jam</bdi>`)
      expect(page).toContain(`href="/jams/${jam.slug}/results"`)
    }
  })
})

describe('the page of hosts', () => {
  const manage = (jam: JamRow, tail = '') => `/jams/${jam.slug}/manage/results${tail}`

  test('holds results back, publishes them and recounts', async () => {
    const { jam } = await insertVoted()
    const act = (name: string) => submitForm(host, manage(jam), { act: name })
    expect((await act('hold')).headers.get('location')).toBe(manage(jam, '?done=hold#state'))
    await endVoting(server, jam)
    expect(await open(resultsPath(jam), 409)).toContain('The hosts publish the results soon.')
    expect(await open(resultsPath(jam), 200, host)).toContain('Only hosts see these results.')
    expect(await open(manage(jam), 200, host)).toContain('Publish results')
    expect((await act('publish')).status).toBe(303)
    expect((await act('recount')).status).toBe(303)
    expect((await act('explode')).status).toBe(400)
    expect(await open(resultsPath(jam))).toContain('Snow Globe')
  })

  test('gives prizes and disqualifies, with faults at the form', async () => {
    const { jam, first } = await insertVoted()
    await endVoting(server, jam)
    const prizes = manage(jam, `/${first.game.uid}/prizes`)
    const answer = await submitForm(host, prizes, { prizes: 'Best light | A lantern\r\nSecond one' })
    expect(answer.status).toBe(303)
    expect(await open(resultsPath(jam))).toContain('Best light')
    expect((await submitForm(host, prizes, { prizes: 'x'.repeat(81) })).status).toBe(400)
    const disqualify = manage(jam, `/${first.game.uid}/disqualify`)
    expect((await submitForm(host, disqualify, { act: 'disqualify', reason: ' ' })).status).toBe(400)
    expect((await submitForm(host, disqualify, { act: 'disqualify', reason: 'Made <before>' })).status).toBe(
      303,
    )
    expect(await open(resultsPath(jam, `/${first.game.vanityName}`))).toContain('Made &lt;before>')
    expect(await open(`/games/${first.game.vanityName}`)).not.toContain('Places in jams')
    expect((await submitForm(host, disqualify, { act: 'readmit', reason: 'It was not' })).status).toBe(303)
    expect(await open(manage(jam, '?q=ferry'), 200, host)).toContain('=Night Ferry')
  })

  test('is not there for anybody else', async () => {
    const { jam } = await insertVoted()
    expect((await maker.fetch(manage(jam), html)).status).toBe(404)
    expect((await submitForm(maker, manage(jam), { act: 'hold' })).status).toBeGreaterThanOrEqual(403)
  })
})
