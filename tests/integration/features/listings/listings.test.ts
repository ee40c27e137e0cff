import { beforeEach, describe, expect, test } from 'bun:test'

import { rateCounts } from '../../../../src/db/schema/settings.ts'
import { RESERVED_NAMES } from '../../../../src/features/listings/page/names.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertGame, LONG_TEXT } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { useStore } from '../../../helpers/store.ts'

interface Listing extends Record<string, unknown> {
  uid: string
  vanity_name: string
}

const GAMES = '/api/v1/private/games'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
// New projects are counted per account.
beforeEach(async () => {
  owner = await signUp(server)
})

async function create(fields: object = {}): Promise<Listing> {
  const answer = await owner.json('POST', GAMES, { name: 'Lighthouse', asset_type: 'game', ...fields })
  expect(answer.status).toBe(201)
  return await readData<Listing>(answer)
}

const edit = (uid: string, patch: object) => owner.json('PATCH', `${GAMES}/${uid}`, patch)

describe('creating', () => {
  test('a new project starts as a draft with a name of its own', async () => {
    const listing = await create({ name: 'Die Sterne über Bärlin!' })
    expect(listing).toMatchObject({
      visibility: 'draft',
      role: 'owner',
      owner: { uid: owner.uid },
      vanity_name: 'die-sterne-uber-barlin',
      status: 'in_development',
      price_cents: 0,
      indexable: true,
      adult: false,
      anonymous_downloads: false,
      tags: [],
      parent: null,
      counts: { admins: 0, editions: 0, children: 0, licenses: 0, reviews: 0 },
      published_at: null,
    })
    expect(listing.url).toBe(`${server.deps.config.baseUrl}/games/die-sterne-uber-barlin`)
  })

  test('the same name twice gives two vanity names', async () => {
    const names = new Set([
      (await create({ name: 'Twice' })).vanity_name,
      (await create({ name: 'Twice' })).vanity_name,
    ])
    expect(names.size).toBe(2)
  })

  test.each(['', '!!!', '日本語', 'ab', '01890b6e-7c3a-7000-8000-000000000000'])(
    'a name without a usable slug (%j) still gets a valid vanity name',
    async (name) => {
      if (name === '') return
      const { vanity_name } = await create({ name })
      expect(vanity_name).toMatch(/^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$/)
    },
  )

  test('a name without Latin letters is addressed by its tagline, else by its developer', async () => {
    const { username } = await readData<{ username: string }>(await owner.fetch('/api/v1/private/me'))
    const addressOf = async (fields: object) => (await create(fields)).vanity_name
    expect(await addressOf({ name: '苔の庭', tagline: 'A quiet moss garden' })).toBe('a-quiet-moss-garden')
    for (const name of ['花园', 'ひかり', 'حديقة', '花园 2'])
      expect(await addressOf({ name, tagline: '静か' })).toStartWith(`${username}-game`)
    expect(await addressOf({ name: 'Go' })).toStartWith('game-go')
    expect(await addressOf({ name: '花园 Garden of Stones' })).toBe('garden-of-stones')
  })

  test('the form asks for an address that the name does not give', async () => {
    const fields = { name: '花园', asset_type: 'game', vanity_name: '' }
    const asked = await submitForm(owner, '/studio/new', fields)
    const page = await asked.text()
    expect(asked.status).toBe(400)
    expect(page).toContain('id="vanity_name-fault">Enter an address')
    expect(page).toContain('value="花园"')
    const made = await submitForm(owner, '/studio/new', { ...fields, vanity_name: 'stone-yard' })
    expect(made.headers.get('location')).toBe('/studio/stone-yard/overview?done=created')
  })

  test('addresses of pages are reserved; a listing that has one keeps it', async () => {
    const reserved = 'new import preview sales payouts jams posts following wishlist notices'.split(' ')
    expect(reserved.filter((name) => !RESERVED_NAMES.has(name))).toEqual([])
    const old = await insertGame(server, owner, { vanityName: 'wishlist' })
    const edited = await owner.json('PATCH', `${GAMES}/${old.uid}`, { vanity_name: 'wishlist', tagline: 'x' })
    expect(edited.status).toBe(200)
  })

  test.each([...RESERVED_NAMES])('the name of a page of the studio, %s, is nobody’s', async (vanity_name) => {
    const answer = await owner.json('POST', GAMES, { name: 'X', asset_type: 'game', vanity_name })
    expect(await readFailure(answer)).toMatchObject({ status: 409, code: 4090 })
    const { uid, vanity_name: made } = await create({ name: vanity_name })
    expect(made).toStartWith(`${vanity_name}-`)
    const renamed = await owner.json('PATCH', `${GAMES}/${uid}`, { vanity_name })
    expect(await readFailure(renamed)).toMatchObject({ status: 409, code: 4090 })
  })

  test('takes any other field at once, and all or nothing', async () => {
    const fields = {
      tagline: 'Repair the stars.',
      genres: ['puzzle'],
      price_cents: 499,
      vanity_name: 'stars-and-all',
    }
    expect(await create(fields)).toMatchObject(fields)
    const before = await readData<{ total: number }>(await owner.fetch(GAMES))
    const refused = await owner.json('POST', GAMES, { name: 'X', asset_type: 'game', genres: ['nonsense'] })
    expect(await readFailure(refused)).toMatchObject({ status: 422, code: 4071 })
    expect((await readData<{ total: number }>(await owner.fetch(GAMES))).total).toBe(before.total)
  })

  test.each([
    [{}, 'name'],
    [{ name: 'X' }, 'asset_type'],
    [{ name: 'X', asset_type: 'book' }, 'asset_type'],
    [{ name: '   ', asset_type: 'game' }, 'name'],
    [{ name: 'X', asset_type: 'game', colour: 'red' }, 'colour'],
    [{ name: 'X', asset_type: 'game', visibility: 'public' }, 'visibility'],
  ])('%j is 4000 and names %s', async (body, field) => {
    const answer = await owner.json('POST', GAMES, body)
    expect(answer.status).toBe(400)
    const { data } = await readJson<{ data: { issues: { path: string }[] } }>(answer)
    expect(data.issues.map(({ path }) => path)).toContain(field)
  })
})

describe('reading', () => {
  test('by uid or by vanity name, with an ETag', async () => {
    const { uid, vanity_name } = await create()
    const byUid = await owner.fetch(`${GAMES}/${uid}`)
    const byName = await owner.fetch(`${GAMES}/${vanity_name}`)
    expect(byUid.headers.get('etag')).toBe(byName.headers.get('etag'))
    expect(await byUid.json()).toEqual(await byName.json())
  })

  test('the list has own listings, newest first, in pages', async () => {
    const person = await signUp(server)
    for (const name of ['One', 'Two', 'Three']) {
      await person.json('POST', GAMES, { name, asset_type: 'tool' })
    }
    const page = await readData<{ items: Listing[]; total: number }>(
      await person.fetch(`${GAMES}?page_size=2`),
    )
    expect(page).toMatchObject({ total: 3, page: 1, page_size: 2 })
    expect(page.items.map(({ name }) => name)).toEqual(['Three', 'Two'])
    expect(page.items[0]).toMatchObject({ role: 'owner', visibility: 'draft', cover: null })
  })
})

describe('editing', () => {
  test('an absent field stays, null goes back to the start', async () => {
    const { uid } = await create({
      tagline: 'T',
      website: 'https://example.org',
      tags: ['a', 'b', 'c'],
      price_cents: 500,
    })
    const kept = await readData<Listing>(await edit(uid, { description: 'D' }))
    expect(kept).toMatchObject({
      tagline: 'T',
      website: 'https://example.org',
      tags: ['a', 'b', 'c'],
      description: 'D',
    })
    const cleared = await edit(uid, {
      tagline: null,
      description: null,
      status: null,
      website: null,
      adult: null,
      indexable: null,
      price_cents: null,
      license_kind: null,
      genres: null,
      tags: null,
      players_min: null,
      parent: null,
      mod_settings: null,
      web_player: null,
      similar_titles: null,
      dependencies: null,
      engine_compat: null,
    })
    expect(await readData<Listing>(cleared)).toMatchObject({
      tagline: '',
      description: '',
      status: 'in_development',
      website: null,
      adult: false,
      indexable: true,
      price_cents: 0,
      license_kind: null,
      genres: [],
      tags: [],
      players_min: null,
      parent: null,
      mod_settings: null,
      web_player: null,
      similar_titles: [],
      dependencies: [],
      engine_compat: [],
    })
  })

  test.each([
    ['name', 'x'.repeat(80), 'x'.repeat(81)],
    ['tagline', 'x'.repeat(140), 'x'.repeat(141)],
    ['description', 'x'.repeat(50_000), 'x'.repeat(50_001)],
    ['website', `https://example.org/${'x'.repeat(235)}`, `https://example.org/${'x'.repeat(236)}`],
    ['website', 'https://example.org', 'http://example.org'],
    ['website', 'https://example.org', 'javascript:alert(1)'],
    ['status', 'on_hold', 'abandoned'],
    ['license_kind', 'cc-by-sa', 'mit'],
    ['price_cents', 99, 98],
    ['price_cents', 9999, 10_000],
    ['price_cents', 0, -1],
    ['price_cents', 100, 100.5],
    ['price_cents', 100, '100'],
    ['adult', true, 'yes'],
    ['asset_type', 'plugin', 'book'],
    ['vanity_name', 'abc', 'ab'],
    ['vanity_name', `a${'b'.repeat(63)}`, `a${'b'.repeat(64)}`],
    ['vanity_name', 'a-b', '-ab'],
    ['vanity_name', 'a-b-1', 'ab-'],
    ['vanity_name', 'a-b-2', 'A-b'],
    ['vanity_name', 'a-b-3', '01890b6e-7c3a-7000-8000-000000000000'],
    ['name', 'a name', null],
    ['asset_type', 'game', null],
    ['vanity_name', 'a-b-4', null],
  ])('%s takes one value and refuses the other with 4000', async (field, good, bad) => {
    const { uid } = await create()
    const refused = await edit(uid, { [field]: bad })
    const { status, code, data } = await readFailure<{ issues: { path: string }[] }>(refused)
    expect([status, code]).toEqual([400, 4000])
    expect(data.issues.map(({ path }) => path)).toContain(field)
    expect(await readData<Listing>(await edit(uid, { [field]: good }))).toMatchObject({ [field]: good })
  })

  test('all or nothing: one bad field keeps the good ones out', async () => {
    const { uid } = await create()
    await edit(uid, { tagline: 'never seen', tone: ['loud'] })
    expect(await readData<Listing>(await owner.fetch(`${GAMES}/${uid}`))).toMatchObject({ tagline: '' })
  })

  test('a price is refused while anonymous downloads are on (4114); free stays possible', async () => {
    const { uid } = await create()
    const on = await owner.json('PUT', `${GAMES}/${uid}/anonymous-downloads`, {
      enabled: true,
      confirm_no_license: true,
    })
    expect(on.status).toBe(200)
    expect(await readFailure(await edit(uid, { price_cents: 499 }))).toMatchObject({
      status: 409,
      code: 4114,
    })
    expect((await edit(uid, { price_cents: 0 })).status).toBe(200)
  })

  test('Markdown is stored as sent', async () => {
    const { uid } = await create()
    const description = `<script>alert(1)</script>\n\n# ${LONG_TEXT}`
    expect(await readData<Listing>(await edit(uid, { description }))).toMatchObject({ description })
  })
})

describe('vanity names', () => {
  test('are unique (4090), also against the old names of others', async () => {
    const [first, second] = [await create({ vanity_name: 'first-name' }), await create()]
    expect(await readFailure(await edit(second.uid, { vanity_name: 'first-name' }))).toMatchObject({
      status: 409,
      code: 4090,
    })
    await edit(first.uid, { vanity_name: 'second-name' })
    expect(await readFailure(await edit(second.uid, { vanity_name: 'first-name' }))).toMatchObject({
      status: 409,
      code: 4090,
    })
    const back = await edit(first.uid, { vanity_name: 'first-name' })
    expect(back.status).toBe(200)
    expect(await readFailure(await edit(second.uid, { vanity_name: 'second-name' }))).toMatchObject({
      code: 4090,
    })
  })

  test('of a deleted draft are free again', async () => {
    const { uid } = await create({ vanity_name: 'soon-gone' })
    expect((await owner.json('DELETE', `${GAMES}/${uid}`)).status).toBe(200)
    expect((await create({ vanity_name: 'soon-gone' })).vanity_name).toBe('soon-gone')
  })

  test('only the ten newest old names stay reserved', async () => {
    const { uid } = await create({ vanity_name: 'hoard-0' })
    for (let number = 1; number <= 11; number += 1) {
      // As if the day were over.
      await server.deps.db.delete(rateCounts)
      await edit(uid, { vanity_name: `hoard-${number}` })
    }
    expect((await create({ vanity_name: 'hoard-0' })).vanity_name).toBe('hoard-0')
    const taken = await owner.json('POST', GAMES, { name: 'X', asset_type: 'game', vanity_name: 'hoard-1' })
    expect(await readFailure(taken)).toMatchObject({ code: 4090 })
  })
})

describe('deleting', () => {
  test('answers {}, and the listing is gone', async () => {
    const { uid } = await create()
    expect(await readData<object>(await owner.json('DELETE', `${GAMES}/${uid}`))).toEqual({})
    expect(await readFailure(await owner.fetch(`${GAMES}/${uid}`))).toMatchObject({ status: 404, code: 4040 })
  })

  test('is for drafts only', async () => {
    const { uid } = await create()
    await owner.json('PUT', `${GAMES}/${uid}/visibility`, { visibility: 'invisible' })
    expect(await readFailure(await owner.json('DELETE', `${GAMES}/${uid}`))).toMatchObject({
      status: 409,
      code: 4090,
    })
  })
})
