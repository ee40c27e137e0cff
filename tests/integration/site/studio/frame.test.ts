import { describe, expect, test } from 'bun:test'

import { buildHealth } from '../../../../src/db/schema/telemetry.ts'
import {
  insertAdmin,
  insertCover,
  insertGame,
  insertPublicGame,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { release } from '../../../helpers/releases.ts'
import { faultOf, openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const stranger = usePerson(server)

const html = { headers: { accept: 'text/html' } }

describe('the list of projects', () => {
  test('shows visibility, check, newest build and health of own and helped-run projects', async () => {
    const person = await signUp(server)
    const game = await insertPublicGame(server, person, { name: 'Ferry Song' })
    await release(server, game.uid, { version: '2.3.4' })
    const helped = await insertGame(server, owner, { name: 'Helped Along' })
    await insertAdmin(server, helped.uid, person, 'accepted')
    const page = await (await person.fetch('/studio', html)).text()
    for (const text of [
      'Ferry Song',
      'Helped Along',
      'Public',
      'Draft',
      'Passes',
      '2.3.4',
      'Checked, no antivirus',
    ]) {
      expect(page).toContain(text)
    }
    expect(page).toContain('2 things to fix')
    expect(page).toContain('you help run it')
  })

  test('asks a guest to sign in', async () => {
    const answer = await server.fetch('/studio', html)
    expect(answer.headers.get('location')).toBe('/sign-in?next=%2Fstudio')
  })
})

describe('a new project', () => {
  test('is a draft of its creator', async () => {
    const answer = await submitForm(owner, '/studio/new', {
      name: 'Tin Whistle',
      asset_type: 'game',
      vanity_name: '',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/studio/tin-whistle/overview?done=created',
    ])
    const page = await (await owner.fetch('/studio/tin-whistle/overview?done=created', html)).text()
    expect(page).toContain('Your project is created.')
    expect(page).toContain('href="/studio/tin-whistle/page#tagline"')
    expect(page).toContain('href="/studio/tin-whistle/media#cover"')
    expect(page).toContain('href="/account/security#email"')
  })

  test('keeps the entries of a rejected form, with each fault at its field', async () => {
    const answer = await submitForm(owner, '/studio/new', {
      name: '',
      asset_type: 'mod',
      vanity_name: 'Not An Address',
    })
    const page = await answer.text()
    expect(answer.status).toBe(400)
    expect(faultOf(page, 'name')).toContain('Enter the name')
    expect(faultOf(page, 'vanity_name')).toContain('3 to 64 characters')
    expect(page).toContain('value="Not An Address"')
    expect(page).toContain('<option value="mod" selected>')
    expect(page).toContain('<a href="#vanity_name">')
  })

  test('is refused for an address that is taken', async () => {
    const game = await insertGame(server, owner)
    const fields = { name: 'Another', asset_type: 'game', vanity_name: game.vanityName }
    const answer = await submitForm(owner, '/studio/new', fields)
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('value="Another"')])
  })

  test('cannot be created from another site', async () => {
    const fields = { name: 'Stolen', asset_type: 'game' }
    const answer = await submitForm(owner, '/studio/new', fields, { origin: 'https://evil.example' })
    expect(answer.status).toBe(403)
  })
})

describe('who may open a project', () => {
  test('a stranger gets the missing page, also for a public listing, and cannot submit', async () => {
    const game = await insertPublicGame(server, owner)
    const missing = await (await stranger.fetch('/studio/no-such-project/overview', html)).text()
    const answer = await stranger.fetch(`/studio/${game.vanityName}/overview`, html)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toBe(missing.replaceAll('no-such-project', game.vanityName))
    const path = `/studio/${game.vanityName}/overview/visibility`
    expect((await submitForm(stranger, path, { visibility: 'draft' })).status).toBe(404)
  })

  test('a guest is led to sign in and back', async () => {
    const answer = await server.fetch('/studio/any/overview', html)
    expect(answer.headers.get('location')).toBe('/sign-in?next=%2Fstudio%2Fany%2Foverview')
  })

  test('the address of a form leads back to its tab', async () => {
    const answer = await owner.fetch('/studio/any/overview/visibility', html)
    expect(answer.headers.get('location')).toBe('/studio/any/overview')
  })
})

describe('the overview', () => {
  test('publishes a page that passes the check', async () => {
    const person = await signUp(server)
    await verifyEmail(server, person)
    const game = await insertGame(server, person)
    await insertCover(server, game.uid)
    const path = `/studio/${game.vanityName}/overview/visibility`
    const answer = await submitForm(person, path, { visibility: 'public' })
    expect(answer.headers.get('location')).toBe(`/studio/${game.vanityName}/overview?done=public`)
    expect((await server.fetch(`/games/${game.vanityName}`)).status).toBe(200)
    expect(await openTab(person, game, 'overview')).toContain('published for the first time')
  })

  test('says what is missing instead, each item leading to its field', async () => {
    const person = await signUp(server)
    const game = await insertGame(server, person, { tagline: '' })
    const path = `/studio/${game.vanityName}/overview/visibility`
    const answer = await submitForm(person, path, { visibility: 'public' })
    const page = await answer.text()
    expect(answer.status).toBe(422)
    const alert = page.slice(page.indexOf('role="alert"'))
    for (const at of ['page#tagline', 'media#cover']) {
      expect(alert).toContain(`href="/studio/${game.vanityName}/${at}"`)
    }
  })

  test('an admin cannot make it private', async () => {
    const [person, admin] = [await signUp(server), await signUp(server)]
    const game = await insertGame(server, person)
    await insertAdmin(server, game.uid, admin, 'accepted')
    const path = `/studio/${game.vanityName}/overview/visibility`
    const answer = await submitForm(admin, path, { visibility: 'owner' })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Only the owner')])
  })

  test('deletes a draft once its name is typed', async () => {
    const game = await insertGame(server, owner)
    const path = `/studio/${game.vanityName}/overview/delete`
    const refused = await submitForm(owner, path, { confirm: 'something else' })
    expect([refused.status, faultOf(await refused.text(), 'confirm')]).toEqual([
      400,
      `Type ${game.vanityName} to confirm.`,
    ])
    const answer = await submitForm(owner, path, { confirm: game.vanityName })
    expect(answer.headers.get('location')).toBe('/studio?done=deleted')
    expect((await owner.fetch(`/studio/${game.vanityName}/overview`, html)).status).toBe(404)
  })

  test('shows what happened to builds and channels', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid, { version: '1.0.0' })
    await server.deps.db.insert(buildHealth).values({
      buildUid: build.uid,
      band: 'mixed',
      devices: 50,
      bootOk: 42,
      crashed: 3,
      judgedAt: new Date(),
    })
    const page = await openTab(owner, game, 'overview')
    expect(page).toContain('1.0.0 for Linux x86_64 was registered')
    expect(page).toContain('stable on Linux moved to 1.0.0')
    expect(page).toContain('1.0.0 on Linux was rated: starts for most')
    expect(page).toMatch(/aria-current="page"[^>]*>Overview/)
  })
})
