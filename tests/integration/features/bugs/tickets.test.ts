import { beforeAll, describe, expect, test } from 'bun:test'

import type { PersonalData } from '../../../../src/features/accounts/personal-data/personal-data-model.ts'
import type {
  BugNotices,
  Ticket,
  TicketDetails,
  TicketPatch,
} from '../../../../src/features/bugs/tickets/model.ts'
import { changeTicket } from '../../../../src/features/bugs/tickets/service.ts'
import { surveyObjects } from '../../../../src/features/storage/reclaim.ts'
import { createBugKey, drawScreenshot, fileTicket, readTicket, setReporter } from '../../../helpers/bugs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { asAgent, obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

describe('tickets', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let player: Person
  let key: string
  beforeAll(async () => {
    owner = await signUp(server)
    player = await signUp(server)
    key = await createBugKey(player)
  })

  async function newGame(): Promise<string> {
    const { uid } = await insertPublicGame(server, owner)
    await setReporter(owner, uid, { enabled: true, daily_cap: 100 })
    return uid
  }

  const patch = async (game: string, ticket: string, body: TicketPatch) =>
    await readData<TicketDetails>(
      await owner.json('PATCH', `/api/v1/private/games/${game}/bugs/${ticket}`, body),
    )

  async function readNotices(game: string, bearer = key): Promise<BugNotices['notices']> {
    const headers = { authorization: `Bearer ${bearer}` }
    const answer = await server.fetch(`/api/v1/games/${game}/bugs/notices`, { headers })
    return (await readData<BugNotices>(answer)).notices
  }

  async function acknowledge(game: string, uids: string[], bearer = key): Promise<number> {
    const answer = await server.fetch(`/api/v1/games/${game}/bugs/notices/ack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ uids }),
    })
    return (await readData<{ acknowledged: number }>(answer)).acknowledged
  }

  describe('the tickets of a game', () => {
    test('are listed newest first and filtered by status', async () => {
      const game = await newGame()
      const uids = [
        await fileTicket(server, key, game, { message: 'one' }),
        await fileTicket(server, key, game, { message: 'two' }),
        await fileTicket(server, key, game, { message: 'three' }),
      ]
      await patch(game, uids[1] ?? '', { status: 'fixed' })
      const list = async (query: string) =>
        await readData<{ items: Ticket[]; total: number }>(
          await owner.fetch(`/api/v1/private/games/${game}/bugs${query}`),
        )
      expect((await list('')).items.map(({ ticket_uid }) => ticket_uid)).toEqual(uids.toReversed())
      expect(await list('?status=fixed')).toMatchObject({ total: 1, items: [{ message: 'two' }] })
      expect(await list('?status=open&page_size=1')).toMatchObject({
        total: 2,
        items: [{ message: 'three' }],
      })
      expect(JSON.stringify(await list(''))).not.toContain('"log"')
      const bad = await owner.fetch(`/api/v1/private/games/${game}/bugs?status=gone`)
      expect(await readFailure(bad)).toMatchObject({ status: 400, code: 4000 })
    })

    test('another game’s ticket is unknown', async () => {
      const [game, other] = [await newGame(), await newGame()]
      const ticket = await fileTicket(server, key, game)
      for (const uid of [ticket, 'x', game]) {
        const answer = await owner.fetch(`/api/v1/private/games/${other}/bugs/${uid}`)
        expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
      }
    })

    test('every change and note is in the history', async () => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game)
      await patch(game, ticket, { status: 'in_progress', note: ' Can reproduce. ' })
      await patch(game, ticket, { note: 'Needs a lamp.' })
      await patch(game, ticket, {})
      await patch(game, ticket, { status: 'in_progress' })
      const fixed = await patch(game, ticket, { status: 'fixed', fixed_in_version: '1.4.2' })
      expect(fixed).toMatchObject({ status: 'fixed', fixed_in_version: '1.4.2' })
      expect(fixed.history).toMatchObject([
        { from_status: 'open', to_status: 'in_progress', note: 'Can reproduce.' },
        { from_status: 'in_progress', to_status: 'in_progress', note: 'Needs a lamp.' },
        { from_status: 'in_progress', to_status: 'fixed', fixed_in_version: '1.4.2', note: null },
      ])
      const reopened = await patch(game, ticket, { status: 'open' })
      expect(reopened).toMatchObject({ fixed_in_version: null, history: { length: 4 } })
    })

    test('a program is named with the person it acts for', async () => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game)
      const { clientId } = await obtainToken(server, owner, 'mcp:bugs.write')
      const agent = asAgent(owner.uid, clientId)
      const { history } = await changeTicket(server.deps, agent, game, ticket, { status: 'closed' })
      const me = await readData<{ username: string }>(await owner.fetch('/api/v1/private/me'))
      expect(history).toMatchObject([{ by: `A test client for ${me.username}`, to_status: 'closed' }])
    })

    test.each([
      { status: 'done' },
      { fixed_in_version: 'x'.repeat(33) },
      { note: 'x'.repeat(4001) },
      { message: 'other' },
    ])('%j is refused', async (body) => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game)
      const answer = await owner.json('PATCH', `/api/v1/private/games/${game}/bugs/${ticket}`, body)
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    })
  })

  describe('notices', () => {
    test('tell the filer alone that a ticket was fixed, until acknowledged', async () => {
      const game = await newGame()
      const strangerKey = await createBugKey(await signUp(server))
      const ticket = await fileTicket(server, key, game, {
        message: `The lamp\nis dark. ${'x '.repeat(200)}`,
      })
      expect(await readNotices(game)).toEqual([])
      await patch(game, ticket, { status: 'fixed' })
      await patch(game, ticket, { fixed_in_version: '1.4.2' })
      const [notice, ...more] = await readNotices(game)
      expect(more).toEqual([])
      expect(notice).toMatchObject({ ticket_uid: ticket, fixed_in_version: '1.4.2' })
      expect(notice?.excerpt).toStartWith('The lamp is dark. x')
      expect(notice?.excerpt.length).toBeLessThanOrEqual(140)
      expect(await readNotices(game, strangerKey)).toEqual([])
      const uids = [notice?.uid ?? '', crypto.randomUUID(), 'no uid']
      expect(await acknowledge(game, uids, strangerKey)).toBe(0)
      expect(await acknowledge(await newGame(), uids)).toBe(0)
      expect(await acknowledge(game, uids)).toBe(1)
      expect(await acknowledge(game, uids)).toBe(0)
      expect(await readNotices(game)).toEqual([])
      await patch(game, ticket, { status: 'closed' })
      await patch(game, ticket, { status: 'fixed' })
      expect(await readNotices(game)).toMatchObject([{ ticket_uid: ticket }])
    })

    test('a closed ticket is silent; closing or reopening withdraws an unread notice', async () => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game)
      for (const status of ['closed', 'open', 'in_progress'] as const) {
        await patch(game, ticket, { status })
        expect(await readNotices(game)).toEqual([])
        await patch(game, ticket, { status: 'fixed' })
        expect(await readNotices(game)).toHaveLength(1)
        await patch(game, ticket, { status })
        expect(await readNotices(game)).toEqual([])
      }
    })

    test('are readable while the reporter is off', async () => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game)
      await patch(game, ticket, { status: 'fixed' })
      await setReporter(owner, game, { enabled: false })
      expect(await readNotices(game)).toHaveLength(1)
    })

    test('player:bugs is needed', async () => {
      const game = await newGame()
      const made = await player.json('POST', '/api/v1/private/player-keys', { label: 'Read' })
      const { key: readKey } = await readData<{ key: string }>(made)
      for (const [bearer, code] of [
        [readKey, 4031],
        ['x', 4010],
      ] as const) {
        const headers = { authorization: `Bearer ${bearer}` }
        const answer = await server.fetch(`/api/v1/games/${game}/bugs/notices`, { headers })
        expect(await readFailure(answer)).toMatchObject({ code })
      }
    })
  })
})

describe('what tickets store', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  /** A draft with a ticket that has everything. */
  async function newTicket() {
    const { uid: game } = await insertGame(server, owner)
    await setReporter(owner, game)
    const player = await signUp(server)
    const key = await createBugKey(player)
    const fields = { message: 'Dark.', log: 'a log', screenshot: await drawScreenshot() }
    return { game, player, ticket: await fileTicket(server, key, game, fields) }
  }

  const listScreenshots = (game: string) => Array.fromAsync(server.deps.objects.list(`screenshots/${game}/`))

  const isEmpty = (game: string) =>
    waitFor('the screenshot is deleted', async () => (await listScreenshots(game)).length === 0)

  describe('the files of tickets', () => {
    test('are known to the sweep, which finds the ones without a ticket', async () => {
      const { game } = await newTicket()
      const stray = `screenshots/${game}/${crypto.randomUUID()}.png`
      await server.deps.objects.put(stray, new Uint8Array(3))
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
})
