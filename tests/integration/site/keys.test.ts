import { describe, expect, test } from 'bun:test'

import { readData } from '../../helpers/json.ts'
import { insertAdmin, insertGame, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { release } from '../../helpers/releases.ts'
import { makeCode, makeKeys, readBatches, redeem } from '../../helpers/selling/selling.ts'
import { faultOf, openTab, submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

// A store that sells nothing has all of this too.
const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const open = async (person: Person, path: string) => await (await person.fetch(path)).text()
const send = (person: Person, code: string) => submitForm(person, '/redeem', { code })

describe('/redeem', () => {
  test('leads through the sign-in, and from a code to the download', async () => {
    const guest = await server.fetch('/redeem')
    expect(guest.status).toBe(303)
    expect(guest.headers.get('location')).toBe('/sign-in?next=%2Fredeem')
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    await release(server, game.uid, { version: '1.0.0' })
    const player = await signUp(server)
    expect(await open(player, '/library')).toContain('href="/redeem"')
    expect(await open(player, '/redeem')).toContain('name="code"')
    expect(await open(player, `/games/${game.vanityName}`)).not.toContain('/download"')
    const done = await send(player, await makeCode(owner, game.uid))
    expect(done.status).toBe(303)
    expect(done.headers.get('location')).toBe(`/games/${game.vanityName}?done=redeemed`)
    const page = await open(player, done.headers.get('location') ?? '')
    expect(page).toContain('Your key is redeemed')
    expect(page).toContain('/download"')
  })

  test('a wrong code is shown again with what is wrong; an owned one is not used', async () => {
    const player = await signUp(server)
    const wrong = await send(player, 'AAAAA-BBBBB-AAAAA-BBBBB')
    expect(wrong.status).toBe(404)
    const page = await wrong.text()
    expect(page).toContain('value="AAAAA-BBBBB-AAAAA-BBBBB"')
    expect(faultOf(page, 'code')).toContain('This code does not work')
    expect(page).toContain('<a href="#code">')
    const short = await (await send(player, 'aaaaa-bbbb')).text()
    expect(faultOf(short, 'code')).toBe('A code has 20 letters and digits. You typed 9.')
    expect(faultOf(await (await send(player, ' ')).text(), 'code')).toBe('Enter the code.')
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    const { codes } = await makeKeys(owner, game.uid, { count: 2 })
    await redeem(player, codes[0] ?? '')
    const owned = await send(player, codes[1] ?? '')
    expect(owned.status).toBe(409)
    expect(await owned.text()).toContain('The code was not used')
  })

  test('a page that is not open yet leads to the library', async () => {
    const draft = await insertGame(server, owner)
    const player = await signUp(server)
    const done = await send(player, await makeCode(owner, draft.uid))
    expect(done.headers.get('location')).toBe('/library?done=redeemed')
    const page = await open(player, '/library?done=redeemed')
    expect(page).toContain('Your key is redeemed')
    expect(page).toContain(draft.name)
  })
})

describe('the tab Keys', () => {
  test('makes keys, shows their codes once and as a CSV without formulas', async () => {
    const game = await insertGame(server, owner, { name: '=1+1' })
    const made = await submitForm(owner, `/studio/${game.vanityName}/keys`, {
      label: '@press',
      count: '2',
      expires_at: '2099-01-31T12:00',
    })
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toContain('no-store')
    const page = await made.text()
    const [, codes = ''] = /<pre[^>]*id="new-codes"[^>]*>([^<]+)<\/pre>/.exec(page) ?? []
    const [first = '', second = ''] = codes.trim().split('\n')
    const [, link = ''] = /href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(page) ?? []
    expect(decodeURIComponent(link).split('\r\n')).toEqual([
      'code,game,edition,label,expires_at',
      `${first},'=1+1,,'@press,2099-01-31T12:00:00.000Z`,
      `${second},'=1+1,,'@press,2099-01-31T12:00:00.000Z`,
      '',
    ])
    const after = await openTab(owner, game, 'keys')
    expect(after).toContain('0 of 2 redeemed, 2 open')
    expect(after).not.toContain(first)
    expect((await redeem(await signUp(server), second)).status).toBe(200)
  })

  test('shows who redeemed when, to owner and admins, as a CSV too', async () => {
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    const [admin, player] = [await signUp(server), await signUp(server)]
    await insertAdmin(server, game.uid, admin, 'accepted')
    const { uid, codes } = await makeKeys(owner, game.uid, { count: 2 })
    await redeem(player, codes[0] ?? '')
    const { username } = await readData<{ username: string }>(await player.fetch('/api/v1/private/me'))
    const csv = `/studio/${game.vanityName}/keys/${uid}/redeemed.csv`
    for (const person of [owner, admin]) {
      const page = await openTab(person, game, 'keys')
      expect(page).toContain('1 of 2 redeemed, 1 open')
      expect(page).toContain(username)
      expect((await open(person, csv)).split('\r\n')[1]).toStartWith(`${username},20`)
    }
    expect(await openTab(owner, game, 'team')).toContain('with a key')
    for (const path of [csv, `/studio/${game.vanityName}/keys`])
      expect((await player.fetch(path)).status).toBe(404)
  })

  test('deletes a batch, and shows a refused form again', async () => {
    const game = await insertPublicGame(server, owner, { priceCents: 999 })
    const { uid, codes } = await makeKeys(owner, game.uid)
    const path = `/studio/${game.vanityName}/keys`
    const refused = await submitForm(owner, path, { label: 'Kept entry', count: '1001', expires_at: '' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('Kept entry')
    const late = await submitForm(owner, path, { label: 'x', count: '1', expires_at: '2020-01-01T00:00' })
    expect(await late.text()).toContain('must be in the future')
    const done = await submitForm(owner, `${path}/${uid}/delete`, {})
    expect(done.headers.get('location')).toBe(`${path}?done=deleted`)
    expect(await readBatches(owner, game.uid)).toEqual([])
    expect((await redeem(await signUp(server), codes[0] ?? '')).status).toBe(404)
  })
})

test('the export of an account has what it redeemed and made, without a code', async () => {
  const game = await insertPublicGame(server, owner, { priceCents: 999 })
  const admin = await signUp(server)
  await insertAdmin(server, game.uid, admin, 'accepted')
  const code = await makeCode(admin, game.uid, { label: 'For friends' })
  const player = await signUp(server)
  await redeem(player, code)
  const read = async (person: Person) => await (await person.fetch('/api/v1/private/me/export')).text()
  const [theirs, own] = [await read(player), await read(admin)]
  expect(JSON.parse(theirs)).toMatchObject({
    data: { redeemed_keys: [{ game_uid: game.uid, edition: null }], key_batches: [] },
  })
  expect(JSON.parse(own)).toMatchObject({
    data: { key_batches: [{ game_uid: game.uid, label: 'For friends', count: 1 }] },
  })
  expect(theirs).not.toContain('For friends')
  for (const text of [theirs, own]) expect(text).not.toContain(code)
})
