import { beforeAll, describe, expect, test } from 'bun:test'

import {
  createBugKey,
  drawScreenshot,
  fileTicket,
  readDeliveries,
  readTicket,
  setReporter,
} from '../../../helpers/bugs.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { faultOf, openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
let path: string
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
  path = `/studio/${game.vanityName}/bugs`
})

describe('the bug reporter', () => {
  test('is turned on by its form, and says what to do until then', async () => {
    expect(await openTab(owner, game, 'bugs')).toContain('Turn the reporter on')
    const fields = { enabled: 'true', daily_cap: '25', webhook_urls: 'https://example.org/bugs' }
    const saved = await submitForm(owner, `${path}/settings`, fields)
    expect(saved.headers.get('location')).toBe(`${path}/settings?done=saved`)
    const page = await openTab(owner, game, 'bugs/settings')
    expect(page).toMatch(/name="enabled"[^>]* checked/)
    for (const text of ['value="25"', 'https://example.org/bugs', 'Signing key']) expect(page).toContain(text)
  })

  test('names the fault of each field and keeps the entries', async () => {
    const fields = { daily_cap: '0', webhook_urls: 'http://intranet\nhttps://example.org' }
    const capped = await submitForm(owner, `${path}/settings`, fields)
    expect(capped.status).toBe(400)
    expect(faultOf(await capped.text(), 'reporter-daily_cap')).not.toBeNull()
    const refused = await submitForm(owner, `${path}/settings`, { ...fields, daily_cap: '5' })
    const page = await refused.text()
    expect(faultOf(page, 'reporter-webhook_urls')).toContain('http://intranet')
    expect(page).toContain('http://intranet\nhttps://example.org')
  })

  test('gets a new signing key, and sends a test to each webhook again and again', async () => {
    const before = await setReporter(owner, game.uid, { enabled: true, webhook_urls: ['http://127.0.0.1:9'] })
    await submitForm(owner, `${path}/settings/key`, {})
    expect((await setReporter(owner, game.uid)).signing_key).not.toBe(before.signing_key)
    await submitForm(owner, `${path}/settings/test`, {})
    const [delivery] = await readDeliveries(owner, game.uid)
    expect(delivery).toMatchObject({ event: 'bug.test', url: 'http://127.0.0.1:9' })
    const again = await submitForm(owner, `${path}/settings/deliveries/${delivery?.uid}`, {})
    expect(again.headers.get('location')).toBe(`${path}/settings?done=resent`)
    expect(await openTab(owner, game, 'bugs/settings')).toContain('Send again')
  })
})

describe('reports', () => {
  test('are listed by status, opened with log and screenshot, and changed', async () => {
    await setReporter(owner, game.uid)
    const player = await createBugKey(await signUp(server))
    const message = '<b>The lamp</b> stays dark.'
    const ticket = { message, log: 'light = 0', client_version: '1.4.1', screenshot: await drawScreenshot() }
    const uid = await fileTicket(server, player, game.uid, ticket)

    const list = await openTab(owner, game, 'bugs?status=open')
    expect(list).toContain('&lt;b>The lamp')
    expect(list).toContain(`${path}/${uid}`)
    expect(await openTab(owner, game, 'bugs?status=closed')).toContain('No report is closed')

    const page = await openTab(owner, game, `bugs/${uid}`)
    for (const text of ['light = 0', '1.4.1', '&lt;b>']) expect(page).toContain(text)
    const shot = /<img class="screenshot" src="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await server.fetch(shot)).headers.get('content-type')).toBe('image/png')

    const fields = { status: 'fixed', fixed_in_version: '1.4.2', note: 'A loose wire.' }
    const saved = await submitForm(owner, `${path}/${uid}`, fields)
    expect(saved.headers.get('location')).toBe(`${path}/${uid}?done=saved`)
    expect(await readTicket(owner, game.uid, uid)).toMatchObject({
      status: 'fixed',
      fixed_in_version: '1.4.2',
      history: [{ from_status: 'open', to_status: 'fixed', note: 'A loose wire.' }],
    })

    const refused = await submitForm(owner, `${path}/${uid}`, { ...fields, fixed_in_version: 'x'.repeat(33) })
    expect(faultOf(await refused.text(), 'ticket-fixed_in_version')).toContain('32')
  })

  test('are for the team alone', async () => {
    const stranger = await signUp(server)
    for (const tab of ['', '/settings', `/${crypto.randomUUID()}`]) {
      const answer = await stranger.fetch(path + tab, { headers: { accept: 'text/html' } })
      expect(answer.status).toBe(404)
    }
    expect((await submitForm(stranger, `${path}/settings`, { enabled: 'true' })).status).toBe(404)
    expect((await owner.fetch(`${path}/nothing`, { headers: { accept: 'text/html' } })).status).toBe(404)
  })
})
