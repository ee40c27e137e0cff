import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { PersonalData } from '../../../../src/features/accounts/personal-data/personal-data-model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { readZip } from '../../../helpers/files/unpack.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { type GameRow, insertLicense } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { callSaves, createSaveKey, newSaveGame, newSavePlayer, readConflict } from '../../../helpers/saves.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUp(server)
  game = await newSaveGame(server, owner, { name: 'Night Harbour' })
})

const html = { accept: 'text/html' }
const open = async (person: Person, path: string) =>
  await (await person.fetch(path, { headers: html })).text()
const pathOf = (ref: string, more = '') => `/library/${ref}/saves${more}`
const send = (person: Person, path: string, fields: Record<string, string> = {}) =>
  person.fetch(path, { method: 'POST', headers: html, body: new URLSearchParams(fields) })

describe('the page of the saves of a game', () => {
  test('is empty before the first save, and for guests it is behind the sign-in', async () => {
    const { person } = await newSavePlayer(server, game)
    const page = await open(person, pathOf(game.vanityName))
    expect(page).toContain('No saves yet')
    expect(page).toContain('0 bytes of 200 MB used')
    const guest = await server.fetch(pathOf(game.vanityName), { headers: html })
    expect([guest.status, guest.headers.get('location')?.startsWith('/sign-in')]).toEqual([303, true])
    for (const path of ['/file?slot=x', '/all.zip'])
      expect((await server.fetch(pathOf(game.vanityName, path))).status).toBe(401)
    expect((await person.fetch(pathOf('no-such-game'), { headers: html })).status).toBe(404)
  })

  test('shows slots, devices and sizes, the history of one, and downloads each', async () => {
    const { person, saves } = await newSavePlayer(server, game)
    const name = 'Quick & <b>save</b>'.replaceAll(/[<>/]/g, '_')
    await saves.put(name, 'x'.repeat(2048), null, {
      'x-save-device': 'Deck <1>',
      'x-save-note': 'before "it"',
    })
    const first = (await saves.list()).slots[0]?.revision ?? ''
    await saves.write(name, 'later', first)
    const lost = await readConflict(await saves.put(name, 'lost', first))
    const page = await open(person, pathOf(game.vanityName))
    expect(page).toContain('Quick &amp; _b_save__b_')
    expect(page).toContain('Unnamed device')
    const history = await open(person, `${pathOf(game.vanityName)}?slot=${encodeURIComponent(name)}`)
    expect(history).toContain('Deck &lt;1>')
    expect(history).toContain('2.0 KB')
    expect(history).toContain('Another device was faster')
    const links = [...history.matchAll(/href="(\/library\/[^"]+\/file\?[^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    )
    const texts = await Promise.all(links.map(async (link) => await (await person.fetch(link)).text()))
    expect(texts.toSorted()).toEqual(['later', 'later', 'lost', 'x'.repeat(2048)].toSorted())
    const file = await person.fetch(links[0] ?? '')
    expect(file.headers.get('content-disposition')).toContain('attachment')
    expect(file.headers.get('cache-control')).toContain('no-store')
    const other = await signUp(server)
    expect((await other.fetch(links[0] ?? '')).status).toBe(404)

    const restored = await send(person, pathOf(game.vanityName, '/restore'), {
      slot: name,
      revision: lost.yours_kept_as,
    })
    expect(restored.headers.get('location')).toBe(`${pathOf(game.vanityName)}?done=restored`)
    expect(await saves.text(name)).toBe('lost')
  })

  test('puts saves into the bin, brings them back, and deletes them for good', async () => {
    const { person, saves } = await newSavePlayer(server, game)
    await saves.write('main', 'x', null)
    await send(person, pathOf(game.vanityName, '/delete'), { slot: 'main' })
    const page = await open(person, pathOf(game.vanityName))
    expect(page).toMatch(/<h2[^>]*>Bin<\/h2>/)
    expect((await saves.read('main')).status).toBe(404)
    const back = await send(person, pathOf(game.vanityName, '/restore'), { slot: 'main' })
    expect(back.headers.get('location')).toContain('done=back')
    expect(await saves.text('main')).toBe('x')
    const refused = await send(person, pathOf(game.vanityName, '/end'), { slot: 'main' })
    expect([refused.status, (await refused.text()).includes('not in the bin')]).toEqual([409, true])
    await send(person, pathOf(game.vanityName, '/delete'), { slot: 'main' })
    await send(person, pathOf(game.vanityName, '/end'), { slot: 'main' })
    expect((await saves.list('?bin=1')).slots).toEqual([])
  })

  test('gives all of them as one zip', async () => {
    const { person, saves } = await newSavePlayer(server, game)
    const none = await person.fetch(pathOf(game.vanityName, '/all.zip'))
    expect(none.status).toBe(404)
    const large = crypto.getRandomValues(new Uint8Array(65_536))
    await saves.write('one', 'first', null)
    await saves.write('zwei ü', large, null)
    const answer = await person.fetch(pathOf(game.vanityName, '/all.zip'))
    expect(answer.headers.get('content-type')).toBe('application/zip')
    const entries = await readZip(new Uint8Array(await answer.arrayBuffer()))
    expect(Object.keys(entries).toSorted()).toEqual(['one', 'zwei ü'])
    expect(sha256Hex(entries['zwei ü'] ?? '')).toBe(sha256Hex(large))
  })

  test('stays when the licence ends and the game is hidden or deleted', async () => {
    const own = await newSaveGame(server, owner, { name: 'Vanishing Point' })
    const { person, saves } = await newSavePlayer(server, own)
    const { revision } = await saves.write('main', 'mine', null)
    await server.deps.db.delete(licenses).where(eq(licenses.userUid, person.uid))
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, own.uid))
    expect((await saves.call('')).status).toBe(404)
    expect(await open(person, pathOf(own.uid))).toContain('Vanishing Point')
    await server.deps.db.delete(games).where(eq(games.uid, own.uid))
    const page = await open(person, pathOf(own.uid))
    expect(page).toContain('Vanishing Point')
    expect(page).not.toContain('Store page')
    const file = await person.fetch(pathOf(own.uid, `/file?slot=main&revision=${revision}`))
    expect(await file.text()).toBe('mine')
    expect((await send(person, pathOf(own.uid, '/delete-all'), {})).status).toBe(400)
    await send(person, pathOf(own.uid, '/delete-all'), { sure: 'true' })
    expect((await person.fetch(pathOf(own.uid, '/file?slot=main'))).status).toBe(404)
  })
})

describe('what a game may do in the browser', () => {
  const WEB = { name: 'Window Seat' }
  const allowedFor = async (person: Person, uid: string) =>
    (await readData<{ allowed: boolean | null }>(await person.fetch(`/api/v1/private/games/${uid}/saves`)))
      .allowed
  const choose = (person: Person, ref: string, choice: string) =>
    send(person, pathOf(ref, '/browser'), { choice })

  test('is shown and changed: asked, allowed, taken back, asked again', async () => {
    const web = await newSaveGame(server, owner, WEB)
    await releaseWeb(server, web.uid)
    const { person } = await newSavePlayer(server, web)
    const page = () => open(person, pathOf(web.vanityName))
    expect(await page()).toContain('Not asked yet')
    const yes = await choose(person, web.vanityName, 'yes')
    expect(yes.headers.get('location')).toBe(`${pathOf(web.vanityName)}?done=yes`)
    expect(await allowedFor(person, web.uid)).toBe(true)
    expect(await page()).toMatch(/Allowed<\/span>.*Take this back/s)
    const { token } = await readData<{ token: string }>(
      await person.json('POST', `/api/v1/private/games/${web.uid}/saves/token`),
    )
    const visit = callSaves(server, web.uid, token)
    await visit.write('main', 'kept', null)

    await choose(person, web.vanityName, 'no')
    expect(await allowedFor(person, web.uid)).toBe(false)
    expect((await visit.call('')).status).toBe(403)
    const taken = await page()
    expect(taken).toContain('Not allowed')
    expect(taken).toContain('main')
    await choose(person, web.vanityName, 'ask')
    expect(await allowedFor(person, web.uid)).toBeNull()
    const wrong = await choose(person, web.vanityName, 'maybe')
    expect([wrong.status, (await wrong.text()).includes('must be one of')]).toEqual([400, true])
  })

  test('is not offered for a game that is not played there, or keeps no saves', async () => {
    const { person } = await newSavePlayer(server, game)
    expect(await open(person, pathOf(game.vanityName))).not.toContain('In the browser')
    const off = await newSaveGame(server, owner, { ...WEB, savesEnabled: false })
    await releaseWeb(server, off.uid)
    const page = await open(person, pathOf(off.vanityName))
    expect(page).toContain('Not asked yet')
    expect(page).not.toContain('Let this game keep')
    const refused = await choose(person, off.vanityName, 'yes')
    expect([refused.status, (await refused.text()).includes('keeps no saves here')]).toEqual([403, true])
  })

  test('can be taken back when the game is hidden or gone, and is of one player alone', async () => {
    const web = await newSaveGame(server, owner, WEB)
    await releaseWeb(server, web.uid)
    const [{ person }, other] = [await newSavePlayer(server, web), await newSavePlayer(server, web)]
    for (const one of [person, other.person]) await choose(one, web.vanityName, 'yes')
    await server.deps.db.delete(games).where(eq(games.uid, web.uid))
    expect(await open(person, pathOf(web.uid))).toContain('Take this back')
    const back = await choose(person, web.uid, 'no')
    expect(back.headers.get('location')).toBe(`${pathOf(web.uid)}?done=no`)
    expect(await open(person, pathOf(web.uid))).toContain('Not allowed')
    expect(await open(other.person, pathOf(web.uid))).toContain('Take this back')
    const stranger = await signUp(server)
    expect((await choose(stranger, web.uid, 'no')).status).toBe(404)
  })
})

describe('the account', () => {
  test('lists the games with saves, exports every revision, and deletes all of them', async () => {
    const other = await newSaveGame(server, owner, { name: 'Other Shore' })
    const { person, key, saves } = await newSavePlayer(server, game)
    await insertLicense(server, other.uid, person)
    const first = await saves.write('main', 'one', null)
    await saves.write('main', 'two', first.revision)
    await callSaves(server, other.uid, key).write('a b', 'three', null)
    await person.json('PUT', `/api/v1/private/games/${game.uid}/saves`, { allowed: true })
    const page = await open(person, '/account/data')
    expect(page).toContain('Saves of 2 games take up 11 bytes.')
    expect(page).toContain(`href="/library/${other.vanityName}/saves"`)
    expect(await open(person, '/library')).toContain(`href="/library/${game.vanityName}/saves"`)
    const data = await readJson<PersonalData>(await person.fetch('/account/export'))
    expect(data.saves.map(({ slot, current }) => `${slot} ${current}`).toSorted()).toEqual([
      'a b true',
      'main false',
      'main true',
    ])
    expect(data.saves_in_browser).toEqual([{ game_uid: game.uid, name: game.name, allowed: true }])
    const link = data.saves.find(({ slot }) => slot === 'a b')
    const { pathname, search } = new URL(link?.url ?? '')
    expect(await (await person.fetch(pathname + search)).text()).toBe('three')
    expect((await send(person, '/account/saves/delete', {})).status).toBe(400)
    const deleted = await send(person, '/account/saves/delete', { sure: 'true' })
    expect(deleted.headers.get('location')).toBe('/account/data?done=saves-deleted#saves')
    expect(await open(person, '/account/data')).toContain('Games keep no saves in your account yet.')
    expect((await saves.list()).quota.used).toBe(0)
    await saves.write('main', 'again', null)
  })
})

describe('the tab of the studio', () => {
  test('turns saves on and off, and tells numbers from five players on', async () => {
    const own = await newSaveGame(server, owner, { savesEnabled: false })
    const tab = `/studio/${own.vanityName}/saves`
    expect((await send(owner, tab, { enabled: 'true' })).headers.get('location')).toBe(`${tab}?done=on`)
    for (let count = 0; count < 4; count += 1) {
      const { saves } = await newSavePlayer(server, own)
      await saves.write('main', 'x'.repeat(1024), null)
    }
    expect(await open(owner, tab)).toContain('Fewer than 5 players keep saves of it.')
    const { saves, person } = await newSavePlayer(server, own)
    await saves.write('main', 'x'.repeat(1024), null)
    await saves.put('main', 'late', null)
    const page = await open(owner, tab)
    expect(page).toContain('5 players keep 5.0 KB: 1.0 KB each on average.')
    expect(page).toContain('Unknown build')
    expect(page).not.toContain(person.uid)
    expect((await person.fetch(tab, { headers: html })).status).toBe(404)
    expect((await send(owner, tab, {})).headers.get('location')).toBe(`${tab}?done=off`)
    expect((await saves.call('')).status).toBe(403)
    expect((await callSaves(server, own.uid, await createSaveKey(owner)).call('')).status).toBe(403)
  })
})
