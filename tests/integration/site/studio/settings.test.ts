import { beforeAll, describe, expect, test } from 'bun:test'

import { readData } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertPublicGame,
  LONG_TEXT,
} from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { faultOf, openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  game = await insertGame(server, owner)
})

type Fields = Record<string, string>
const send = (path: string, fields: Fields = {}, person = owner, of = game) =>
  submitForm(person, `/studio/${of.vanityName}/${path}`, fields)
const readApi = async (path: string) => {
  return await readData<Record<string, unknown>>(
    await owner.fetch(`/api/v1/private/games/${game.uid}${path}`),
  )
}

const TABS = [
  'overview',
  'page',
  'media',
  'press',
  'store-links',
  'pricing',
  'community-tags',
  'compatibility',
  'builds',
  'channels',
  'changelog',
  'team',
  'publishing',
]

test.each(TABS)('%s opens with its own link marked, and is missing for a stranger', async (tab) => {
  const page = await openTab(owner, game, tab)
  expect(page).toMatch(new RegExp(`href="/studio/${game.vanityName}/${tab}"[^>]*aria-current="page"`))
  const stranger = await signUp(server)
  const answer = await stranger.fetch(`/studio/${game.vanityName}/${tab}`, {
    headers: { accept: 'text/html' },
  })
  expect(answer.status).toBe(404)
})

test.each([
  'press',
  'store-links',
  'pricing/price',
  'pricing/editions',
  'pricing/anonymous',
  'compatibility',
  'community-tags',
  'changelog',
  'team/invite',
  'team/grant',
  'deploy-keys',
  'publishing',
  'publishing/policy',
])('%s refuses a stranger and a foreign origin', async (path) => {
  const hidden = await insertPublicGame(server, owner)
  expect((await send(path, {}, await signUp(server), hidden)).status).toBe(404)
  const foreign = await submitForm(owner, `/studio/${game.vanityName}/${path}`, {}, { origin: 'null' })
  expect(foreign.status).toBe(403)
})

describe('publishing', () => {
  test('a pipeline is trusted and removed, and entries of a refused form stay', async () => {
    const own = await insertGame(server, owner)
    const fields = { provider: 'github', repository: 'moss/garden', ref: 'main', channels: 'beta, dev' }
    const refused = await send('publishing', fields, owner, own)
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('value="moss/garden"')
    expect(page).toContain('refs/heads/main')
    const added = await send('publishing', { ...fields, ref: 'refs/tags/v*' }, owner, own)
    expect(added.status).toBe(303)
    const tab = await openTab(owner, own, 'publishing')
    expect(tab).toContain('<h1>Pipelines</h1>')
    expect(tab).toContain('moss/garden')
    expect(tab).toContain('only beta, dev')
    const [, uid] = /publishing\/([0-9a-f-]{36})\/remove/.exec(tab) ?? []
    expect((await send(`publishing/${uid}/remove`, {}, owner, own)).status).toBe(303)
    expect(await openTab(owner, own, 'publishing')).toContain('No pipeline is trusted yet')
  })

  test('only trusted publishers: no deploy key can be issued until they are allowed again', async () => {
    const own = await insertGame(server, owner)
    expect((await send('publishing/policy', { keys_allowed: 'false' }, owner, own)).status).toBe(303)
    expect(await openTab(owner, own, 'publishing')).toContain('Deploy keys are off')
    expect((await send('deploy-keys', {}, owner, own)).status).toBe(403)
    await send('publishing/policy', { keys_allowed: 'true' }, owner, own)
    expect((await send('deploy-keys', {}, owner, own)).status).toBe(201)
  })
})

describe('deploy keys', () => {
  test('the pair is shown once, with the lines for shelf and a pipeline', async () => {
    const answer = await send('deploy-keys')
    const page = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    const secret = /id="secret-key"[^>]*>([^<]+)</.exec(page)?.[1] ?? ''
    const token = /id="access-token"[^>]*>([^<]+)</.exec(page)?.[1] ?? ''
    expect(page).toContain('shelf login --stdin')
    expect(page).toContain('SHELF_ACCESS_TOKEN')
    const key = { 'x-access-token': token.trim(), 'x-secret-key': secret.trim() }
    expect((await server.fetch('/api/v1/tool/upload/builds', { headers: key })).status).toBe(200)
    const later = await openTab(owner, game, 'deploy-keys')
    expect(later).not.toContain(secret.trim())
    expect(later).toContain(token.trim().slice(-4))
  })

  test('without developer mode the page explains it', async () => {
    const person = await signUp(server)
    const own = await insertGame(server, person)
    expect(await openTab(person, own, 'deploy-keys')).toContain('need developer mode')
    expect((await send('deploy-keys', {}, person, own)).status).toBe(403)
  })
})

describe('the team', () => {
  test('the owner invites and removes, an admin leaves', async () => {
    const helper = await signUp(server)
    const { username } = await readData<{ username: string }>(await helper.fetch('/api/v1/private/me'))
    expect((await send('team/invite', { username })).status).toBe(303)
    expect(await openTab(owner, game, 'team')).toContain(`Remove ${username}`)
    expect((await send(`team/${helper.uid}/remove`)).status).toBe(303)
    await insertAdmin(server, game.uid, helper, 'accepted')
    expect(await openTab(helper, game, 'team')).toContain('Leave the team')
    const left = await send(`team/${helper.uid}/remove`, {}, helper)
    expect(left.headers.get('location')).toBe('/studio?done=left')
  })

  test('an unknown name keeps the entry and says so', async () => {
    const answer = await send('team/invite', { username: 'nobody-at-all' })
    const page = await answer.text()
    expect([answer.status, faultOf(page, 'invite-username')]).toEqual([
      400,
      expect.stringContaining('The username must be the name of an account; there is none called'),
    ])
    expect(page).toContain('value="nobody-at-all"')
  })

  test('a licence is given away', async () => {
    const player = await signUp(server)
    const { username } = await readData<{ username: string }>(await player.fetch('/api/v1/private/me'))
    expect((await send('team/grant', { username })).status).toBe(303)
    expect(await openTab(owner, game, 'team')).toContain('given by you')
  })
})

describe('the press kit', () => {
  test('lists are typed one entry a line', async () => {
    const fields = {
      release_date: 'Spring 2027',
      contact_email: 'press@example.org',
      trailer_url: 'https://v.example/t',
      features: 'One\r\n\r\nTwo',
      links: 'Kit | https://k.example/',
      history: 'Long ago',
      quotes: 'Fine. | A paper',
      team: 'Ada | Music | https://ada.example/\r\nBo',
    }
    expect((await send('press', fields)).status).toBe(303)
    expect(await readApi('/press')).toMatchObject({
      release_date: 'Spring 2027',
      features: ['One', 'Two'],
      awards: [],
      links: [{ label: 'Kit', url: 'https://k.example/' }],
      quotes: [{ text: 'Fine.', source: 'A paper', url: null }],
      team: [
        { name: 'Ada', role: 'Music', url: 'https://ada.example/' },
        { name: 'Bo', role: null, url: null },
      ],
    })
    const page = await openTab(owner, game, 'press')
    expect(page).toContain('Ada | Music | https://ada.example/\nBo')
  })

  test('a fault names the field and the line', async () => {
    const answer = await send('press', {
      contact_email: 'nobody',
      links: 'Fine | https://a.example/\r\nBad | ftp://b',
    })
    const page = await answer.text()
    expect(answer.status).toBe(422)
    expect(faultOf(page, 'contact_email')).toContain('e-mail')
    expect(faultOf(page, 'links')).toStartWith('The link in line 2 must be an https link')
    expect(page).toContain('Bad | ftp://b')
  })
})

describe('store links', () => {
  test('each store has a field', async () => {
    expect(
      (await send('store-links', { store_01: 'https://store.steampowered.com/app/620/#x' })).status,
    ).toBe(303)
    expect(await readApi('/store-links')).toMatchObject({
      store_links: [{ platform: 'store_01', url: 'https://store.steampowered.com/app/620/' }],
    })
  })

  test('a link to another site is refused at its field', async () => {
    const answer = await send('store-links', { store_02: 'https://evil.example/game' })
    const page = await answer.text()
    expect([answer.status, faultOf(page, 'store_02')]).toEqual([
      422,
      expect.stringContaining('The link must point to'),
    ])
    expect(page).toContain('value="https://evil.example/game"')
  })
})

describe('pricing', () => {
  test('a price is typed in dollars', async () => {
    expect((await send('pricing/price', { price_cents: '$4.99' })).status).toBe(303)
    expect(await readApi('')).toMatchObject({ price_cents: 499 })
    const wrong = await send('pricing/price', { price_cents: 'a lot' })
    expect([wrong.status, faultOf(await wrong.text(), 'price-price_cents')]).toEqual([
      400,
      'Type the price in dollars, such as 4.99.',
    ])
    const tooMuch = await send('pricing/price', { price_cents: '200' })
    expect([tooMuch.status, faultOf(await tooMuch.text(), 'price-price_cents')]).toEqual([
      400,
      'The price must be 0, or $0.99 to $99.99.',
    ])
    const edition = await send('pricing/editions', { name: 'Deluxe', price_cents: '0.50' })
    expect(faultOf(await edition.text(), 'edition-price_cents')).toBe(
      'The price of an edition must be $0.99 to $99.99.',
    )
  })

  test('editions are added, stopped and deleted', async () => {
    const own = await insertGame(server, owner)
    const fields = { name: 'Deluxe', price_cents: '9.99', active: 'true' }
    expect((await send('pricing/editions', fields, owner, own)).status).toBe(303)
    const uid = /editions\/([0-9a-f-]{36})"/.exec(await openTab(owner, own, 'pricing'))?.[1] ?? ''
    await send(`pricing/editions/${uid}`, { name: 'Deluxe', price_cents: '9.99' }, owner, own)
    expect(await openTab(owner, own, 'pricing')).toContain('Offer <bdi>Deluxe</bdi>')
    await send(`pricing/editions/${uid}/delete`, {}, owner, own)
    expect(await openTab(owner, own, 'pricing')).not.toContain('Deluxe</strong>')
  })

  test('downloads without an account need a free project and a confirmation', async () => {
    const own = await insertGame(server, owner)
    const anonymous = (fields: Fields) => send('pricing/anonymous', fields, owner, own)
    expect((await anonymous({ enabled: 'true' })).status).toBe(400)
    expect((await anonymous({ enabled: 'true', confirm_no_license: 'true' })).status).toBe(303)
    const page = await openTab(owner, own, 'pricing')
    expect(page).toContain('so it stays free')
    expect((await send('pricing/price', { price_cents: '4.99' }, owner, own)).status).toBe(409)
    expect((await anonymous({ enabled: 'false' })).status).toBe(303)
  })
})

describe('compatibility', () => {
  const range = (row: number, values: Fields) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`engine_compat.${row}.${name}`, value]))

  test('empty rows are left out', async () => {
    const fields = {
      ...range(1, { engine: 'Godot', min_version: '4.1', max_version: '4.3', platform: 'linux' }),
    }
    expect((await send('compatibility', fields)).status).toBe(303)
    expect(await readApi('')).toMatchObject({
      engine_compat: [{ engine: 'godot', min_version: '4.1', max_version: '4.3', platform: 'linux' }],
    })
  })

  test('a fault stands in its row', async () => {
    const fields = { ...range(2, { engine: 'godot', min_version: 'four', max_version: '4.3' }) }
    const answer = await send('compatibility', fields)
    expect([answer.status, faultOf(await answer.text(), String.raw`engine_compat\.2\.min_version`)]).toEqual([
      400,
      expect.stringContaining('numbers with dots'),
    ])
  })
})

test('the changelog is written and shortened', async () => {
  expect((await send('changelog', { title: 'Fog', body: LONG_TEXT, version: '1.2.0' })).status).toBe(303)
  const page = await openTab(owner, game, 'changelog')
  expect(page).toContain('<h2>Fog</h2>')
  const uid = /changelog\/([0-9a-f-]{36})\/delete/.exec(page)?.[1] ?? ''
  expect((await send(`changelog/${uid}/delete`)).status).toBe(303)
  const refused = await send('changelog', { title: ' ', body: 'Kept', version: '' })
  const again = await refused.text()
  expect([refused.status, faultOf(again, 'title')]).toEqual([
    400,
    expect.stringContaining('Enter the title.'),
  ])
  expect(again).toContain('>Kept</textarea>')
})
