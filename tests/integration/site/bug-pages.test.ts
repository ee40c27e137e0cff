import { describe, expect, test } from 'bun:test'

import type { Ticket } from '../../../src/features/bugs/tickets/model.ts'
import { drawScreenshot, type FormFields, makeForm, setReporter } from '../../helpers/bugs.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../helpers/listings.ts'
import type { Person } from '../../helpers/people.ts'
import { usePerson, useStore } from '../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../helpers/wait.ts'

const html = { accept: 'text/html' }

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)

async function newGame(input = {}): Promise<GameRow> {
  const game = await insertPublicGame(server, owner)
  await setReporter(owner, game.uid, { enabled: true, ...input })
  await insertLicense(server, game.uid, player)
  return game
}

async function read(path: string, person?: Person): Promise<{ status: number; text: string }> {
  const answer = await (person ?? server).fetch(path, { headers: html })
  return { status: answer.status, text: await answer.text() }
}

async function send(game: GameRow, fields: FormFields, person = player): Promise<Response> {
  return await person.fetch(`/games/${game.vanityName}/report-bug`, {
    method: 'POST',
    headers: html,
    body: makeForm(fields),
  })
}

/** What a browser sends for a file that was not chosen. */
const NO_FILE = new File([], '')

async function readTickets(game: GameRow): Promise<Ticket[]> {
  const answer = await owner.fetch(`/api/v1/private/games/${game.uid}/bugs`)
  return (await readData<{ items: Ticket[] }>(answer)).items
}

describe('reporting a bug on the website', () => {
  test('is offered while the reporter is on', async () => {
    const game = await newGame()
    const form = `/games/${game.vanityName}/report-bug`
    expect((await read(`/games/${game.vanityName}`)).text).toContain(`href="${form}"`)
    expect((await read(form)).text).toContain('to report a bug')
    expect((await read(form, owner)).text).toContain('in your library')
    expect((await read(form, player)).text).toContain('enctype="multipart/form-data"')
    await setReporter(owner, game.uid, { enabled: false })
    const isOffered = async () => (await read(`/games/${game.vanityName}`)).text.includes('report-bug')
    await waitFor('the page no longer offers it', async () => !(await isOffered()), PROMPT_MS)
    expect((await read(form, player)).status).toBe(404)
    expect((await send(game, { message: 'x' })).status).toBe(404)
  })

  test('files a ticket with what was chosen', async () => {
    const game = await newGame()
    const none = { screenshot: NO_FILE, log: NO_FILE }
    const answer = await send(game, { message: 'First', client_version: '', os: 'linux', ...none })
    expect(answer.status).toBe(303)
    const next = answer.headers.get('location') ?? ''
    expect((await read(next, player)).text).toContain('The developer got your report')
    await send(game, {
      message: 'Second',
      os: '',
      screenshot: await drawScreenshot(),
      log: new File(['x'], 'a.log'),
    })
    expect(await readTickets(game)).toMatchObject([
      { message: 'Second', os: null, has_log: true, screenshot_url: expect.any(String) },
      { message: 'First', client_version: null, os: 'linux', has_log: false, screenshot_url: null },
    ])
  })

  test('shows the form again with what was typed and why it was refused', async () => {
    const game = await newGame({ daily_cap: 1 })
    const refused = await send(game, { message: '<b>Dark</b>', screenshot: new File(['GIF89a…'], 'a.gif') })
    expect(refused.status).toBe(400)
    const text = await refused.text()
    expect(text).toContain('&lt;b>Dark&lt;/b>')
    expect(text).toContain('href="#bug-screenshot"')
    expect((await send(game, { message: ' ' })).status).toBe(400)
    expect((await send(game, { message: 'one' })).status).toBe(303)
    const capped = await send(game, { message: 'two' })
    expect(capped.status).toBe(429)
    expect(await capped.text()).toContain('daily limit')
    expect((await send(game, { message: 'x' }, owner)).status).toBe(403)
    expect(await readTickets(game)).toHaveLength(1)
  })

  test('a form of another site is refused', async () => {
    const game = await newGame()
    const answer = await player.fetch(`/games/${game.vanityName}/report-bug`, {
      method: 'POST',
      headers: { ...html, origin: 'https://elsewhere.example' },
      body: makeForm({ message: 'x' }),
    })
    expect(answer.status).toBe(403)
    expect(await readTickets(game)).toEqual([])
  })
})

describe('the library', () => {
  test('tells what was fixed, until it is acknowledged', async () => {
    const game = await newGame()
    await send(game, { message: 'The lamp stays dark.' })
    const [ticket] = await readTickets(game)
    const path = `/api/v1/private/games/${game.uid}/bugs/${ticket?.ticket_uid}`
    expect((await read('/library', player)).text).not.toContain('Fixed bugs')
    await owner.json('PATCH', path, { status: 'fixed', fixed_in_version: '1.4.2' })
    const { text } = await read('/library', player)
    expect(text).toContain('Your report was fixed in 1.4.2.')
    expect(text).toContain('The lamp stays dark.')
    const uid = /name="uid" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const ack = (person: Person) =>
      person.fetch('/library/notices', { method: 'POST', headers: html, body: new URLSearchParams({ uid }) })
    expect((await ack(owner)).status).toBe(303)
    expect((await read('/library', player)).text).toContain('Fixed bugs')
    expect((await ack(player)).status).toBe(303)
    expect((await read('/library', player)).text).not.toContain('Fixed bugs')
  })
})
