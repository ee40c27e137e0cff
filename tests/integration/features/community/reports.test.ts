import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { pageReports } from '../../../../src/db/schema/operate.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person

beforeAll(async () => {
  owner = await signUp(server)
})

const REPORT = { reason: 'stolen', text: ' This is my drawing. ' }

describe('reporting a page', () => {
  test('is stored for the operators', async () => {
    const reader = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const answer = await reader.json('POST', `/api/v1/private/games/${game.vanityName}/reports`, REPORT)
    expect(answer.status).toBe(201)
    expect(await readData<object>(answer)).toMatchObject({ reason: 'stolen', text: 'This is my drawing.' })
    const rows = await server.deps.db.select().from(pageReports).where(eq(pageReports.gameUid, game.uid))
    expect(rows).toMatchObject([{ userUid: reader.uid, reason: 'stolen', text: 'This is my drawing.' }])
  })

  test.each([
    ['an unknown reason', { ...REPORT, reason: 'boring' }],
    ['no text', { ...REPORT, text: '  ' }],
    ['too long a text', { ...REPORT, text: 'x'.repeat(2001) }],
    ['more than that', { ...REPORT, game: 'x' }],
  ])('refuses %s', async (_, body) => {
    const reader = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const answer = await reader.json('POST', `/api/v1/private/games/${game.uid}/reports`, body)
    expect(answer.status).toBe(400)
  })

  test('works ten times a day, by the page and by the API together', async () => {
    const reader = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const byApi = () => reader.json('POST', `/api/v1/private/games/${game.uid}/reports`, REPORT)
    const byPage = () =>
      reader.fetch(`/games/${game.vanityName}/report`, { method: 'POST', body: new URLSearchParams(REPORT) })
    for (let count = 0; count < 5; count += 1) {
      expect([(await byApi()).status, (await byPage()).status]).toEqual([201, 303])
    }
    expect([(await byApi()).status, (await byPage()).status]).toEqual([429, 429])
  })

  test('a refused form keeps what was entered', async () => {
    const reader = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const body = new URLSearchParams({ reason: 'malware', text: '' })
    const answer = await reader.fetch(`/games/${game.vanityName}/report`, { method: 'POST', body })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    expect(text).toContain('<option value="malware" selected')
    expect(text).toContain('aria-describedby="report-text-fault report-text-hint"')
  })
})
