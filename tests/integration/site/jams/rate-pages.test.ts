import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { jamEntries } from '../../../../src/db/schema/jams.ts'
import {
  addToJam,
  endVoting,
  enter,
  type Entered,
  insertJam,
  type JamRow,
  listVotes,
  play,
  rate,
} from '../../../helpers/jams/voting.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const html = { headers: { accept: 'text/html' } }
const voter = usePerson(server)
const maker = usePerson(server)
const host = usePerson(server)

async function insertFull() {
  const jam = await insertJam(server)
  await addToJam(server, jam, host, 'host')
  const own = await enter(server, jam, voter)
  const others = [
    await enter(server, jam, maker, {
      systems: ['web', 'windows'],
      entry: { note: 'Use the keys.' },
      game: { name: 'Night Ferry' },
    }),
    await enter(server, jam, host, { entry: { received: 1 }, game: { name: 'Snow Globe' } }),
  ] as const
  return { jam, own, others }
}

async function open(person: Person, path: string, status = 200): Promise<string> {
  const answer = await person.fetch(path, html)
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return text
}

const ratePath = (jam: JamRow, tail = '') => `/jams/${jam.slug}/rate${tail}`
const send = (jam: JamRow, { game }: Entered, fields: Record<string, string>, tail = '') =>
  submitForm(voter, ratePath(jam, `/${game.uid}${tail}`), fields)
const STARS = { 'score-0': '4', 'score-1': '5', comment: 'Warm\r\nlight.' }

describe('the page to rate', () => {
  test('shows the first entry with its version, stars by criterion, and what comes next', async () => {
    const { jam, own, others } = await insertFull()
    const page = await open(voter, ratePath(jam))
    expect(page).toContain('Night Ferry')
    expect(page).toContain('Use the keys.')
    expect(page).toContain(`/games/${others[0].game.vanityName}/play?jam=${jam.slug}`)
    expect(page).toMatch(/<legend><bdi>Theme<\/bdi><\/legend>/)
    expect(page.match(/type="radio"/g)).toHaveLength(10)
    expect(page).toContain('Play the entry for a minute')
    expect(page).toContain('0 entries rated, 2 left')
    expect(page).toMatch(/Next<\/h2>.*Snow Globe/s)
    expect(page).toContain(own.game.name)
    expect(page).toMatch(/href="\/jams\/[^"]+\/rate"[^>]*aria-current="page"/)
  })

  test('rates without script, goes on, and changes a rating', async () => {
    const { jam, others } = await insertFull()
    await play(server, others[0], voter)
    const answer = await send(jam, others[0], { ...STARS, public: 'true' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(ratePath(jam, '?done=rated'))
    expect(await listVotes(server, jam)).toMatchObject([
      { scores: [4, 5], comment: 'Warm\nlight.', commentPublic: true },
    ])
    expect(await open(voter, ratePath(jam))).toContain('Snow Globe')
    const again = await open(voter, ratePath(jam, `?entry=${others[0].game.vanityName}`))
    expect(again).toContain('Change the rating')
    expect(again).toMatch(/name="score-0" value="4" checked/)
    const rated = await open(voter, ratePath(jam, '/rated'))
    expect(rated).toContain('Night Ferry')
  })

  test('keeps what was typed when stars are missing, and says which', async () => {
    const { jam, others } = await insertFull()
    await play(server, others[0], voter)
    const answer = await send(jam, others[0], { 'score-0': '3', comment: 'Not done' })
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('Give stars for Theme.')
    expect(page).toContain('Not done')
    expect(page).toMatch(/name="score-0" value="3" checked/)
  })

  test('says why an entry cannot be rated', async () => {
    const { jam, own, others } = await insertFull()
    const unplayed = await send(jam, others[0], STARS)
    expect(unplayed.status).toBe(403)
    expect(await unplayed.text()).toContain('Play the entry for a minute')
    expect(await (await send(jam, own, STARS)).text()).toContain('You work on this entry')
    await play(server, others[0], voter)
    await server.deps.db
      .update(jamEntries)
      .set({ withdrawnAt: new Date() })
      .where(eq(jamEntries.uid, others[0].entry.uid))
    const gone = await send(jam, others[0], STARS)
    expect(gone.status).toBe(403)
    expect(await gone.text()).toContain('This entry was withdrawn.')
  })

  test('skips an entry, and takes one out that does not run', async () => {
    const { jam, others } = await insertFull()
    expect((await send(jam, others[0], {}, '/skip')).headers.get('location')).toBe(
      ratePath(jam, '?done=skipped'),
    )
    expect(await open(voter, ratePath(jam))).toMatch(/id="entry"[^>]*><a[^>]*>Snow Globe/)
    expect((await send(jam, others[1], {}, '/cannot-run')).status).toBe(303)
    expect(await open(voter, ratePath(jam))).toMatch(/id="entry"[^>]*><a[^>]*>Night Ferry/)
    expect((await send(jam, others[0], {}, '/cannot-run')).status).toBe(303)
    expect(await open(voter, ratePath(jam))).toContain('You rated everything')
  })

  test('explains itself to those who do not vote, and outside of the voting', async () => {
    const { jam } = await insertFull()
    const stranger = await signUp(server)
    expect(await open(stranger, ratePath(jam), 403)).toContain('Only those rate here who work on an entry')
    const guest = await server.fetch(ratePath(jam), { ...html, redirect: 'manual' })
    expect(guest.status).toBe(303)
    await endVoting(server, jam)
    expect(await open(voter, ratePath(jam), 409)).toContain('Voting has ended.')
  })

  test('offers what runs on the visitor’s system, or everything', async () => {
    const { jam } = await insertFull()
    const phone = { ...html.headers, 'user-agent': 'Mozilla/5.0 (Linux; Android 15)' }
    const page = await (await voter.fetch(ratePath(jam), { headers: phone })).text()
    expect(page).toContain('Night Ferry')
    expect(page).not.toContain('Snow Globe')
    expect(await (await voter.fetch(ratePath(jam, '?os=any'), { headers: phone })).text()).toContain(
      'Snow Globe',
    )
  })

  test('says why nothing is left', async () => {
    const { jam, others } = await insertFull()
    const phone = { ...html.headers, 'user-agent': 'Mozilla/5.0 (Linux; Android 15)' }
    const read = async (tail = '') =>
      await (await voter.fetch(ratePath(jam, tail), { headers: phone })).text()
    await send(jam, others[0], {}, '/cannot-run')
    expect(await read()).toContain('The other entries need another system.')
    await server.deps.db.update(games).set({ adult: true }).where(eq(games.uid, others[1].game.uid))
    expect(await read('?os=any')).toContain('The other entries are for adults')
    await send(jam, others[1], {}, '/cannot-run')
    expect(await read()).toContain('You rated everything')
  })
})

describe('the votes of a jam', () => {
  test('are listed, voided and restored by hosts, and downloaded without names', async () => {
    const { jam, others } = await insertFull()
    await rate(server, voter, jam, others[0], { comment: '=1+1' })
    const base = `/jams/${jam.slug}/manage/votes`
    const name = await usernameOf(voter)
    const page = await open(host, base)
    expect(page).toContain(name)
    expect(page).toContain('rated only entries of one team')
    const [vote] = await listVotes(server, jam)
    const restored = await submitForm(host, `${base}/${vote?.uid}/restore`, { reason: 'A judge' })
    expect(restored.headers.get('location')).toBe(`${base}?done=restored`)
    expect(await open(host, `${base}?show=uncounted`)).toContain('No votes here.')
    const empty = await submitForm(host, `${base}/${vote?.uid}/void`, { reason: ' ' })
    expect(empty.status).toBe(400)
    const file = await host.fetch(`${base}.csv`, html)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const text = await file.text()
    expect(text.split('\r\n')[0]).toBe('vote,entry,game_uid,Fun,Theme,counts,reason')
    expect(text).toContain('Night Ferry')
    expect(text).not.toContain(name)
  })

  test('are not there for anybody else', async () => {
    const { jam } = await insertFull()
    const base = `/jams/${jam.slug}/manage/votes`
    for (const path of [base, `${base}.csv`])
      expect((await voter.fetch(path, html)).status).toBeGreaterThan(400)
    expect((await server.fetch(`${base}.csv`, html)).status).toBe(404)
  })
})
