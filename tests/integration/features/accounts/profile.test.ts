import { beforeAll, describe, expect, test } from 'bun:test'

import type { Me } from '../../../../src/features/accounts/model.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { indexNow, searchFor } from '../../../helpers/search/search.ts'
import type { TestServer } from '../../../helpers/server.ts'
import { usePerson, useStore, useTwin } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
/** Another process of the same store. */
const second = useTwin(server)

const patch = (person: Person, body: object) => person.json('PATCH', '/api/v1/private/me', body)
const readMe = async (person: Person) => await readData<Me>(await person.fetch('/api/v1/private/me'))

async function issuesOf(answer: Response): Promise<string[]> {
  expect(answer.status).toBe(400)
  const { data } = await readFailure<{ issues: { path: string }[] }>(answer)
  return data.issues.map(({ path }) => path)
}

describe('the display name', () => {
  test.each([
    ['Ada Loom', 'Ada Loom'],
    ['李小龙 🐉', '李小龙 🐉'],
    [`  ${'é'.repeat(50)} `, 'é'.repeat(50)],
  ])('is the name of the sign-up: %s', async (typed, name) => {
    expect(await readMe(await signUp(server, typed))).toMatchObject({ display_name: name })
  })

  test('is the username where the name of the sign-up is too long for it', async () => {
    const person = await signUp(server, 'x'.repeat(51))
    expect(await readMe(person)).toMatchObject(unnamed(await usernameOf(person)))
  })

  test('is the username until one is set, and follows it', async () => {
    const person = await signUp(server)
    expect(await readMe(person)).toMatchObject(unnamed(await usernameOf(person)))
    const username = `ada-${crypto.randomUUID().slice(0, 8)}`
    await patch(person, { display_name: username, username })
    expect(await readMe(person)).toMatchObject(unnamed(username))
    const next = `${username}-2`
    expect(await readData<Me>(await patch(person, { username: next }))).toMatchObject(unnamed(next))
  })

  test.each([
    'Ada Loom',
    'Студия Маяк',
    '灯台工房',
    'ランタン 🏮',
    'مصباح',
    'नमस्ते',
    'x',
    'é'.repeat(50),
    '👩‍💻 at work',
  ])('may be %s', async (name) => {
    const person = await signUp(server)
    const answer = await patch(person, { display_name: `  ${name} ` })
    expect(answer.status).toBe(200)
    expect(await readData<Me>(answer)).toMatchObject({ display_name: name })
  })

  test.each([
    ['nothing', ''],
    ['only spaces', '   '],
    ['51 characters', 'x'.repeat(51)],
    ['a line break', 'Ada\nLoom'],
    ['a control character', 'Ada\u0007'],
    ['a turned direction', 'Ada \u202Egpj'],
    ['only marks of direction', '\u200F\u200E'],
    ['only joiners', '\u200D\u200D'],
    ['a number', 7],
  ])('cannot be %s', async (_, name) => {
    const person = await signUp(server)
    expect(await issuesOf(await patch(person, { display_name: name }))).toEqual(['display_name'])
  })

  test('null takes it back', async () => {
    const person = await signUp(server)
    await patch(person, { display_name: 'For a While' })
    await patch(person, { display_name: null })
    expect(await readMe(person)).toMatchObject(unnamed(await usernameOf(person)))
  })
})

describe('the new name of a developer', () => {
  const developer = usePerson(server)
  let username: string
  let game: GameRow
  beforeAll(async () => {
    username = await usernameOf(developer)
    game = await insertPublicGame(server, developer, { name: `Card${crypto.randomUUID().slice(0, 8)}` })
    await indexNow(server, game.uid)
  })

  const nameOnCard = async (from: TestServer) =>
    (await searchFor(from, `q=${game.name}`)).items[0]?.developer.display_name
  const nameOnListing = async (from: TestServer) => {
    const answer = await from.fetch(`/api/v1/public/games/${game.uid}`)
    return (await readData<Listing>(answer)).developer.display_name
  }

  test('is on cards and listings of every process within a second', async () => {
    const reads = [server, second].flatMap((from) => [() => nameOnCard(from), () => nameOnListing(from)])
    const names = () => Promise.all(reads.map((read) => read()))
    await waitFor('the card', async () => (await names()).every((name) => name === username))
    for (const name of ['Lantern Works', 'Works of Lanterns']) {
      await patch(developer, { display_name: name })
      await waitFor(name, async () => (await names()).every((shown) => shown === name), PROMPT_MS)
    }
  })

  test('is on their page, which stays where it is', async () => {
    await patch(developer, { display_name: 'Lantern Works' })
    const answer = await server.fetch(`/api/v1/public/user/${username}`)
    expect(await readData(answer)).toMatchObject({
      username,
      display_name: 'Lantern Works',
      picture: null,
      url: `${server.url}/developers/${username}`,
    })
  })
})

describe('text, links and featured listing', () => {
  test('are stored as sent', async () => {
    const person = await signUp(server)
    const { uid } = await insertPublicGame(server, person)
    const profile = {
      bio: 'We make **lamps**.',
      links: [{ label: 'Devlog', url: 'https://ada.example.org/log?a=1' }],
      featured: uid,
    }
    const answer = await patch(person, profile)
    expect(answer.status).toBe(200)
    expect(await readData<Me>(answer)).toMatchObject(profile)
    expect(await readMe(person)).toMatchObject(profile)
    await patch(person, { bio: null, links: null, featured: null })
    expect(await readMe(person)).toMatchObject({ bio: '', links: [], featured: null })
  })

  test('a patch of one leaves the others', async () => {
    const person = await signUp(server)
    await patch(person, { bio: 'Once' })
    await patch(person, { links: [{ label: 'Site', url: 'https://ada.example.org' }] })
    expect(await readMe(person)).toMatchObject({ bio: 'Once', links: [{ label: 'Site' }] })
  })

  test('the answer can be sent back as it is', async () => {
    const person = await signUp(server)
    await patch(person, { display_name: 'Back and Forth', bio: 'Hello' })
    const me = await readMe(person)
    expect((await patch(person, me)).status).toBe(200)
    expect(await readMe(person)).toEqual(me)
  })

  const link = { label: 'Site', url: 'https://ada.example.org' }
  test.each([
    ['a text of 5,001 characters', { bio: 'x'.repeat(5001) }, ['bio']],
    ['nine links', { links: Array.from({ length: 9 }, () => link) }, ['links']],
    ['a link without https', { links: [{ ...link, url: 'http://ada.example.org' }] }, ['links.0.url']],
    ['a script as link', { links: [link, { ...link, url: 'javascript:alert(1)' }] }, ['links.1.url']],
    ['a label of spaces', { links: [{ ...link, label: ' ' }] }, ['links.0.label']],
    ['a label of 41 characters', { links: [{ ...link, label: 'x'.repeat(41) }] }, ['links.0.label']],
    ['a field that no link has', { links: [{ ...link, rel: 'me' }] }, ['links.0.rel']],
    ['a featured name', { featured: 'some-game' }, ['featured']],
    ['an unknown listing', { featured: '0190a4e0-0000-7000-8000-000000000000' }, ['featured']],
  ])('%s is refused', async (_, body, paths) => {
    const person = await signUp(server)
    expect(await issuesOf(await patch(person, body))).toEqual(paths)
  })

  test('another’s listing and a draft cannot be featured', async () => {
    const [person, other] = [await signUp(server), await signUp(server)]
    const [foreign, draft] = [
      await insertPublicGame(server, other),
      await insertPublicGame(server, person, { visibility: 'draft' }),
    ]
    for (const { uid } of [foreign, draft])
      expect(await issuesOf(await patch(person, { featured: uid }))).toEqual(['featured'])
  })
})
