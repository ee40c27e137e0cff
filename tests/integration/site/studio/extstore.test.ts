import { beforeAll, describe, expect, test } from 'bun:test'

import { DEMO_APPS } from '../../../helpers/ext-store-double/apps/demo-apps.ts'
import { insertLink } from '../../../helpers/extstore/extstore-links.ts'
import { useImports, WEB_API_KEY } from '../../../helpers/extstore/imports.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { faultOf, openTab, submitForm } from '../../../helpers/site/studio.ts'

const world = useImports()
const { appId } = DEMO_APPS.paid
const GROUPS = ['text', 'taxonomy', 'status', 'price', 'age', 'store_link']

let owner: Person
beforeAll(async () => {
  owner = await world.signUpDeveloper()
})

const ask = (person: Person, path: string, fields: Record<string, string | string[]> = {}) =>
  submitForm(person, path, {
    app_id: String(appId),
    web_api_key: WEB_API_KEY,
    game_uid: '',
    groups: GROUPS,
    ...fields,
  })

describe('import', () => {
  test('first compares field by field, and writes nothing', async () => {
    const game = await insertGame(world.server, owner, { name: 'Old Name', tagline: 'Old line.' })
    const answer = await ask(owner, '/studio/import/preview', { game_uid: game.uid })
    const page = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    for (const text of ['Old Name would change like this', 'Old line.', 'Lantern Keeper', 'Never imported'])
      expect(page).toContain(text)
    expect(await openTab(owner, game, 'page')).toContain('value="Old line."')
  })

  test('then imports into a new draft', async () => {
    const person = await world.signUpDeveloper()
    const answer = await ask(person, '/studio/import', { app_id: String(DEMO_APPS.free.appId) })
    const location = answer.headers.get('location') ?? ''
    expect(location).toEndWith('/overview?done=imported')
    const page = await person.fetch(location, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('The page is imported.')
  })

  test('names the store by what its addresses are', async () => {
    const accept = { headers: { accept: 'text/html' } }
    const own = await (await owner.fetch('/studio/import', accept)).text()
    expect(own).toContain('<h1>Import from the external store</h1>')
    const steam = await startTestServer()
    try {
      const person = await signUp(steam)
      await person.json('PATCH', '/api/v1/private/me', { developer_mode: true })
      const pages = ['/studio', '/studio/import', '/account/privacy']
      const texts = await Promise.all(pages.map(async (path) => (await person.fetch(path, accept)).text()))
      for (const text of texts) {
        expect(text).toContain('Steam')
        expect(text.toLowerCase()).not.toContain('external store')
      }
      const wrong = await ask(person, '/studio/import/preview', { app_id: 'x' })
      expect(faultOf(await wrong.text(), 'app_id')).toContain('the number of an app at Steam')
    } finally {
      await steam.stop()
    }
  })

  test('a fault stands at its field, and every entry is kept', async () => {
    const answer = await ask(owner, '/studio/import/preview', { app_id: 'not an app', groups: ['price'] })
    const page = await answer.text()
    expect([answer.status, faultOf(page, 'app_id')]).toEqual([
      400,
      expect.stringContaining('The app must be the number'),
    ])
    expect(page).toContain('value="not an app"')
    expect(page).toMatch(/value="price" checked/)
    expect(page).not.toMatch(/value="text" checked/)
  })

  test('a key that does not cover the app is explained', async () => {
    const answer = await ask(owner, '/studio/import/preview', { web_api_key: 'F'.repeat(32) })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('role="alert"')
  })

  test('needs developer mode, a session and our own origin', async () => {
    const person = await signUp(world.server)
    expect(await readPage(person, '/studio/import')).toContain('Developer mode is off')
    expect((await ask(person, '/studio/import')).status).toBe(403)
    const guest = await world.server.fetch('/studio/import', { headers: { accept: 'text/html' } })
    expect(guest.headers.get('location')).toBe('/sign-in?next=%2Fstudio%2Fimport')
    const foreign = await submitForm(owner, '/studio/import', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })
})

describe('sign-in', () => {
  const act = (game: GameRow, path: string, fields: Record<string, string> = {}) =>
    submitForm(owner, `/studio/${game.vanityName}/sign-in/${path}`, fields)

  test('a project without a link leads to the import', async () => {
    const game = await insertGame(world.server, owner)
    expect(await openTab(owner, game, 'sign-in')).toContain(`href="/studio/import?game_uid=${game.uid}"`)
  })

  test('shows the auth key only on request, and renews it', async () => {
    const game = await insertGame(world.server, owner)
    const { authKey, ticketKey } = await insertLink(world.server.deps, game.uid)
    const page = await openTab(owner, game, 'sign-in')
    expect(page).toContain(ticketKey)
    expect(page).not.toContain(authKey)
    const shown = await act(game, 'auth-key')
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    expect(await shown.text()).toContain(authKey)
    expect((await act(game, 'auth-key/renew')).status).toBe(303)
    expect(await (await act(game, 'auth-key')).text()).not.toContain(authKey)
    expect((await act(game, 'ticket-key')).status).toBe(303)
    expect(await openTab(owner, game, 'sign-in')).not.toContain(ticketKey)
  })

  test('is turned off and on again, and unlinked', async () => {
    const game = await insertGame(world.server, owner)
    await insertLink(world.server.deps, game.uid, { appId: DEMO_APPS.adult.appId })
    expect((await act(game, 'disable')).status).toBe(303)
    const wrong = await act(game, 'enable', { web_api_key: 'short' })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toContain('value="short"')
    expect((await act(game, 'enable', { web_api_key: WEB_API_KEY })).status).toBe(303)
    expect(await openTab(owner, game, 'sign-in')).toContain('Turn sign-in off')
    expect((await act(game, 'unlink')).status).toBe(303)
    expect(await openTab(owner, game, 'sign-in')).toContain('Not linked')
  })

  test('a stranger gets the missing page', async () => {
    const game = await insertGame(world.server, owner, { visibility: 'invisible' })
    await insertLink(world.server.deps, game.uid)
    const stranger = await signUp(world.server)
    for (const path of ['auth-key', 'disable', 'unlink', 'enable', 'resync']) {
      const answer = await submitForm(stranger, `/studio/${game.vanityName}/sign-in/${path}`, {})
      expect(answer.status).toBe(404)
    }
  })
})
