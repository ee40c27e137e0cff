import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { EMPTY_PRESS_KIT, type PressKitValue } from '../../../../src/domain/listings/press-kit.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const stranger = usePerson(server)

const URL_255 = 'https://example.org/'.padEnd(255, 'x')
const KIT: PressKitValue = {
  release_date: 'Spring 2026',
  contact_email: 'press@studio.example.org',
  website: 'https://studio.example.org/',
  trailer_url: 'https://video.example.org/watch?v=1',
  history: '# How it began\n\nIn a *lighthouse*.',
  features: ['Twelve lighthouses', 'No fights'],
  awards: ['Best of Show'],
  links: [{ label: 'Forum', url: 'https://forum.example.org/' }],
  quotes: [
    { text: 'A quiet joy.', source: 'Example Magazine', url: 'https://magazine.example.org/1' },
    { text: 'Bright.', source: 'A friend', url: null },
  ],
  team: [
    { name: 'Ada', role: 'Music', url: 'https://ada.example.org/' },
    { name: 'Grace', role: null, url: null },
  ],
}
/** Everything as long and as much as it may be. */
const FULL = {
  release_date: '🕯'.repeat(32),
  contact_email: `${'x'.repeat(64)}@example.org`,
  website: URL_255,
  trailer_url: URL_255,
  history: 'é'.repeat(8000),
  features: Array.from({ length: 20 }, () => 'f'.repeat(200)),
  awards: Array.from({ length: 20 }, () => 'a'.repeat(200)),
  links: Array.from({ length: 20 }, () => ({ label: 'l'.repeat(80), url: URL_255 })),
  quotes: Array.from({ length: 20 }, () => ({
    text: 't'.repeat(500),
    source: 's'.repeat(120),
    url: URL_255,
  })),
  team: Array.from({ length: 50 }, () => ({ name: 'n'.repeat(80), role: 'r'.repeat(80), url: URL_255 })),
}

const pathOf = (game: { uid: string }) => `/api/v1/private/games/${game.uid}/press`
const makePath = async (values = {}) => pathOf(await insertGame(server, owner, values))
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

describe('the press kit', () => {
  test('of a listing without one is the empty kit', async () => {
    expect(await readData(await owner.fetch(await makePath()))).toEqual(EMPTY_PRESS_KIT)
  })

  test.each([
    ['an ordinary kit', KIT],
    ['a kit at every limit', FULL],
  ])('%s is kept as sent', async (_, kit) => {
    const path = await makePath()
    const saved = await owner.json('PUT', path, kit)
    expect(saved.status).toBe(200)
    expect(await readData<unknown>(saved)).toEqual(kit)
    expect(await readData<unknown>(await owner.fetch(path))).toEqual(kit)
  })

  test('saving replaces the whole kit: an omitted field is empty', async () => {
    const path = await makePath()
    await owner.json('PUT', path, KIT)
    const kit = { ...EMPTY_PRESS_KIT, awards: ['Second'] }
    expect(await readData<unknown>(await owner.json('PUT', path, { awards: ['Second'] }))).toEqual(kit)
    expect(await readData<unknown>(await owner.fetch(path))).toEqual(kit)
    expect(await readData(await owner.json('PUT', path, {}))).toEqual(EMPTY_PRESS_KIT)
  })

  test('what was read can be sent back, and null says that there is none', async () => {
    const path = await makePath()
    expect(await readData(await owner.json('PUT', path, EMPTY_PRESS_KIT))).toEqual(EMPTY_PRESS_KIT)
    const nulls = Object.fromEntries(Object.keys(EMPTY_PRESS_KIT).map((name) => [name, null]))
    expect(await readData(await owner.json('PUT', path, nulls))).toEqual(EMPTY_PRESS_KIT)
  })

  test('an omitted link or role of an entry is null', async () => {
    const body = { quotes: [{ text: 'Fine.', source: 'Me' }], team: [{ name: 'Ada', role: '' }] }
    expect(await readData(await owner.json('PUT', await makePath(), body))).toMatchObject({
      quotes: [{ text: 'Fine.', source: 'Me', url: null }],
      team: [{ name: 'Ada', role: null, url: null }],
    })
  })

  const link = { label: 'Site', url: 'https://example.org/' }
  const quote = { text: 'Fine.', source: 'Me' }
  test.each<[string, string, unknown]>([
    ['a release date of 33 characters', 'release_date', { release_date: 'x'.repeat(33) }],
    ['a number as release date', 'release_date', { release_date: 2026 }],
    ['a bad e-mail', 'contact_email', { contact_email: 'press at example.org' }],
    ['a non-https website', 'website', { website: 'http://example.org/' }],
    ['a website of 256 characters', 'website', { website: `${URL_255}x` }],
    ['a website with a password', 'website', { website: 'https://me:secret@example.org/' }],
    ['a script as trailer', 'trailer_url', { trailer_url: 'javascript:alert(1)' }],
    ['a history of 8001 characters', 'history', { history: 'x'.repeat(8001) }],
    ['21 features', 'features', { features: times(21, 'x') }],
    ['a feature of 201 characters', 'features.1', { features: ['x', 'x'.repeat(201)] }],
    ['an empty feature', 'features.0', { features: [' '] }],
    ['a text instead of features', 'features', { features: 'x' }],
    ['an empty text instead of features', 'features', { features: '' }],
    ['a number among features', 'features.0', { features: [7] }],
    ['21 awards', 'awards', { awards: times(21, 'x') }],
    ['an award of 201 characters', 'awards.0', { awards: ['x'.repeat(201)] }],
    ['21 links', 'links', { links: times(21, link) }],
    ['a non-https link', 'links.1.url', { links: [link, { ...link, url: 'ftp://example.org/' }] }],
    ['a link without label', 'links.0.label', { links: [{ url: link.url }] }],
    ['a link without url', 'links.0.url', { links: [{ label: 'Site' }] }],
    ['a link with an empty url', 'links.0.url', { links: [{ label: 'Site', url: '' }] }],
    ['a label of 81 characters', 'links.0.label', { links: [{ ...link, label: 'x'.repeat(81) }] }],
    ['a text as link', 'links.0', { links: ['https://example.org/'] }],
    ['21 quotes', 'quotes', { quotes: times(21, quote) }],
    ['a quote of 501 characters', 'quotes.0.text', { quotes: [{ ...quote, text: 'x'.repeat(501) }] }],
    ['a source of 121 characters', 'quotes.0.source', { quotes: [{ ...quote, source: 'x'.repeat(121) }] }],
    ['a quote without text', 'quotes.0.text', { quotes: [{ source: 'Me' }] }],
    ['a non-https link of a quote', 'quotes.0.url', { quotes: [{ ...quote, url: 'http://example.org' }] }],
    ['51 credits', 'team', { team: times(51, { name: 'Ada' }) }],
    ['a name of 81 characters', 'team.0.name', { team: [{ name: 'x'.repeat(81) }] }],
    ['a role of 81 characters', 'team.0.role', { team: [{ name: 'Ada', role: 'x'.repeat(81) }] }],
    ['a non-https link of a credit', 'team.0.url', { team: [{ name: 'Ada', url: '//example.org' }] }],
    ['an unknown field', 'colour', { colour: 'red' }],
    ['an unknown field of an entry', 'team.0.age', { team: [{ name: 'Ada', age: 36 }] }],
    ['a field of every object', '__proto__', JSON.parse('{"__proto__": {}}')],
    ['a list instead of a kit', '', []],
    ['null instead of a kit', '', null],
    ['no kit at all', '', undefined],
    ['a long unknown field', 'x'.repeat(60), { ['x'.repeat(100_000)]: 1 }],
  ])('%s is 422/4235 and named', async (_, path, body) => {
    const answer = await owner.json('PUT', await makePath(), body)
    expect(answer.status).toBe(422)
    expect(await readJson<unknown>(answer)).toMatchObject({
      error: { code: 4235 },
      data: { issues: [{ path }] },
    })
  })

  test('every fault is told, with field, index and value, and nothing is saved', async () => {
    const path = await makePath()
    await owner.json('PUT', path, KIT)
    const links = [link, link, { label: '', url: 'http://example.org/' }]
    const answer = await owner.json('PUT', path, { contact_email: 'nobody', links })
    const issues = [
      { path: 'contact_email', message: 'contact_email must be an e-mail address, not "nobody".' },
      {
        path: 'links.2.label',
        message: 'links[2].label must be a text of 1 to 80 characters that is not blank.',
      },
      {
        path: 'links.2.url',
        message: 'links[2].url must be an https link of at most 255 characters, not "http://example.org/".',
      },
    ]
    expect(await readJson<unknown>(answer)).toEqual({
      success: false,
      error: { code: 4235, message: 'contact_email must be an e-mail address, not "nobody".' },
      data: { issues },
    })
    expect(await readData<unknown>(await owner.fetch(path))).toEqual(KIT)
  })

  test('a body that is no JSON is 400/4000', async () => {
    const answer = await owner.fetch(await makePath(), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"history": ',
    })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('of a listing nobody else may see is missing for others, of a visible one forbidden', async () => {
    for (const [visibility, wanted] of [
      ['draft', { status: 404, code: 4040 }],
      ['owner', { status: 404, code: 4040 }],
      ['invisible', { status: 403, code: 4030 }],
      ['public', { status: 403, code: 4030 }],
    ] as const) {
      const path = await makePath({ visibility })
      expect(await readFailure(await stranger.fetch(path))).toMatchObject(wanted)
      expect(await readFailure(await stranger.json('PUT', path, { colour: 1 }))).toMatchObject(wanted)
      expect((await server.fetch(path)).status).toBe(401)
    }
  })

  test('may be edited by an accepted admin, not by an invited one, and found by the vanity name', async () => {
    const game = await insertGame(server, owner)
    const [accepted, invited] = [await signUp(server), await signUp(server)]
    await insertAdmin(server, game.uid, accepted, 'accepted')
    await insertAdmin(server, game.uid, invited, 'invited')
    const path = pathOf({ uid: game.vanityName })
    expect((await accepted.json('PUT', path, KIT)).status).toBe(200)
    expect((await invited.json('PUT', path, KIT)).status).toBe(404)
  })

  test('a save moves updated_at, and saves at the same time leave one of them whole', async () => {
    const game = await insertGame(server, owner, { updatedAt: new Date(0) })
    const kits = [1, 2, 3, 4, 5, 6].map((id) => ({ ...KIT, history: `${id}`, awards: [`${id}`] }))
    const answers = await Promise.all(kits.map((kit) => owner.json('PUT', pathOf(game), kit)))
    expect(answers.map(({ status }) => status)).toEqual(kits.map(() => 200))
    expect(kits).toContainEqual(await readData<PressKitValue>(await owner.fetch(pathOf(game))))
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    expect(row?.updatedAt.getTime()).toBeGreaterThan(0)
  })
})
