import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { PersonalData } from '../../../../src/features/accounts/personal-data/personal-data-model.ts'
import { surveyObjects } from '../../../../src/features/storage/orphans.ts'
import { createBugKey, drawScreenshot, fileTicket, readTicket, setReporter } from '../../../helpers/bugs.ts'
import { readData } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { waitFor } from '../../../helpers/wait.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
  owner = await signUp(server)
})
afterAll(() => server.stop())

/** A draft with a ticket that has everything. */
async function newTicket() {
  const { uid: game } = await insertGame(server, owner)
  await setReporter(owner, game)
  const player = await signUp(server)
  const key = await createBugKey(player)
  const fields = { message: 'Dark.', log: 'a log', screenshot: await drawScreenshot() }
  return { game, player, ticket: await fileTicket(server, key, game, fields) }
}

const listScreenshots = (game: string) => Array.fromAsync(server.deps.store.list(`screenshots/${game}/`))

const isEmpty = (game: string) =>
  waitFor('the screenshot is deleted', async () => (await listScreenshots(game)).length === 0)

describe('the files of tickets', () => {
  test('are known to the sweep, which finds the ones without a ticket', async () => {
    const { game } = await newTicket()
    const stray = `screenshots/${game}/${crypto.randomUUID()}.png`
    await server.deps.store.put(stray, new Uint8Array(3))
    const future = new Date(Date.now() + 60_000)
    const surveys = await surveyObjects(server.deps, future)
    const survey = surveys.find(({ kind }) => kind === 'screenshots')
    expect(survey).toMatchObject({ orphans: 1, bytes: 3, sample: [stray] })
  })

  test('go with the game', async () => {
    const { game } = await newTicket()
    expect(await listScreenshots(game)).toHaveLength(1)
    expect((await owner.fetch(`/api/v1/private/games/${game}`, { method: 'DELETE' })).status).toBe(200)
    await isEmpty(game)
  })

  test('are part of the export, and go with the account; the message stays', async () => {
    const { game, player, ticket } = await newTicket()
    const before = await readTicket(owner, game, ticket)
    expect(before.reporter.username).not.toBeNull()
    await owner.json('PATCH', `/api/v1/private/games/${game}/bugs/${ticket}`, { status: 'fixed' })
    const data = await readData<PersonalData>(await player.fetch('/api/v1/private/me/export'))
    expect(data.bug_reports).toMatchObject([
      { game_uid: game, ticket_uid: ticket, message: 'Dark.', has_log: true, has_screenshot: true },
    ])
    const password = { password: player.password }
    expect((await player.json('DELETE', '/api/v1/private/me', password)).status).toBe(200)
    await isEmpty(game)
    expect(await readTicket(owner, game, ticket)).toMatchObject({
      message: 'Dark.',
      status: 'fixed',
      log: null,
      has_log: false,
      screenshot_url: null,
      reporter: { username: null, extstore_id: null },
    })
    expect((await fetch(before.screenshot_url ?? '')).status).toBe(404)
  })
})
