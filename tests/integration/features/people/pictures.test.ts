import { beforeAll, describe, expect, test } from 'bun:test'

import type { Me } from '../../../../src/features/accounts/model.ts'
import type { DeveloperPage } from '../../../../src/features/catalog/pages/model.ts'
import { reclaim } from '../../../../src/features/storage/reclaim.ts'
import { BLUE, drawPng, isNear, look, RED, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { indexNow, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const DAY_MS = 25 * 60 * 60 * 1000

const PATHS = { picture: '/api/v1/private/me/picture', banner: '/api/v1/private/me/banner' } as const
type Kind = keyof typeof PATHS

let drawn = 0
/** Every picture differs, because identical ones share one object. */
async function upload(person: Person, kind: Kind): Promise<string> {
  drawn += 1
  const answer = await send(
    person,
    PATHS[kind],
    await drawPng(40, 40, () => [drawn * 16, 200 - drawn * 16, 90]),
  )
  expect(answer.status).toBe(200)
  return (await readData<Me>(answer))[kind] ?? ''
}

const isServed = async (url: string) => (await server.fetch(new URL(url).pathname)).status === 200
const readMe = async (person: Person) => await readData<Me>(await person.fetch('/api/v1/private/me'))
const readPage = async (username: string) =>
  await readData<DeveloperPage>(await server.fetch(`/api/v1/public/user/${username}`))

describe('a picture', () => {
  test.each([
    ['picture', 320, 320],
    ['banner', 1600, 400],
  ] as const)('%s is encoded anew, cropped to %d×%d', async (kind, width, height) => {
    const person = await signUp(server)
    const file = await drawPng(300, 90, (x) => (x < 0.5 ? RED : BLUE))
    const url = (await readData<Me>(await send(person, PATHS[kind], file)))[kind] ?? ''
    expect(url).toStartWith(`${server.url}/media/`)
    const bytes = new Uint8Array(await (await server.fetch(new URL(url).pathname)).arrayBuffer())
    expect(await new Bun.Image(bytes).metadata()).toEqual({ width, height, format: 'webp' })
    const seen = await look(bytes)
    expect([isNear(seen.at(0.1, 0.5), RED), isNear(seen.at(0.9, 0.5), BLUE)]).toEqual([true, true])
  })

  test('that is replaced or removed is deleted, unless another person shows the same', async () => {
    const [person, other] = [await signUp(server), await signUp(server)]
    const first = await upload(person, 'picture')
    await upload(person, 'picture')
    await waitFor('the replaced picture is gone', async () => !(await isServed(first)))
    const shared = await drawPng(50, 50)
    for (const each of [person, other]) await send(each, PATHS.picture, shared)
    const { picture } = await readMe(person)
    expect((await person.json('DELETE', PATHS.picture)).status).toBe(200)
    expect((await readMe(person)).picture).toBeNull()
    const banner = await upload(person, 'banner')
    expect((await person.json('DELETE', PATHS.banner)).status).toBe(200)
    await waitFor('the banner is gone', async () => !(await isServed(banner)))
    expect(await isServed(picture ?? '')).toBe(true)
  })

  test('survives the sweep of storage', async () => {
    const person = await signUp(server)
    const urls = [await upload(person, 'picture'), await upload(person, 'banner')]
    await reclaim(server.deps, new Date(Date.now() + DAY_MS), new AbortController().signal)
    expect(await Promise.all(urls.map(isServed))).toEqual([true, true])
  })

  test('is deleted with the account', async () => {
    const person = await signUp(server)
    const urls = [await upload(person, 'picture'), await upload(person, 'banner')]
    const { password } = person
    expect((await person.json('DELETE', '/api/v1/private/me', { password })).status).toBe(200)
    await waitFor('both are gone', async () => !(await Promise.all(urls.map(isServed))).some(Boolean))
  })

  test('is in the export', async () => {
    const person = await signUp(server)
    const [picture, banner] = [await upload(person, 'picture'), await upload(person, 'banner')]
    await person.json('PATCH', '/api/v1/private/me', { display_name: 'Ada Loom', bio: 'Hello' })
    const answer = await person.fetch('/api/v1/private/me/export')
    const { account } = await readData<{ account: object }>(answer)
    expect(account).toMatchObject({ display_name: 'Ada Loom', bio: 'Hello', picture, banner })
  })

  test('that is none is refused at its field', async () => {
    const person = await signUp(server)
    const answer = await send(person, PATHS.picture, new Blob(['<svg/>'], { type: 'image/svg+xml' }))
    expect(answer.status).toBe(400)
    const { data } = await readFailure<{ issues: { path: string }[] }>(answer)
    expect(data.issues.map(({ path }) => path)).toEqual(['file'])
  })
})

describe('a developer’s page', () => {
  let developer: Person
  let username: string
  beforeAll(async () => {
    developer = await signUp(server)
    username = await usernameOf(developer)
  })

  test('carries name, pictures, text, links and the featured listing', async () => {
    const { uid } = await insertPublicGame(server, developer)
    const profile = {
      display_name: 'Lantern Works',
      bio: 'We make **lamps**. <script>alert(1)</script>',
      links: [{ label: 'Devlog', url: 'https://ada.example.org/log' }],
      featured: uid,
    }
    await developer.json('PATCH', '/api/v1/private/me', profile)
    const [picture, banner] = [await upload(developer, 'picture'), await upload(developer, 'banner')]
    const page = await readPage(username)
    expect(page).toMatchObject({ ...profile, username, picture, banner })
    expect(page.bio_html).toBe(
      '<p>We make <strong>lamps</strong>. &lt;script&gt;alert(1)&lt;/script&gt;</p>\n',
    )
  })

  test('features no listing that was hidden or is for adults', async () => {
    const shown = await insertPublicGame(server, developer)
    for (const values of [{ visibility: 'draft' }, { adult: true }] as const) {
      const { uid } = await insertPublicGame(server, developer, { contentWarnings: ['nudity'] })
      await developer.json('PATCH', '/api/v1/private/me', { featured: uid })
      expect((await readPage(username)).featured).toBe(uid)
      const path =
        'visibility' in values ? `/api/v1/private/games/${uid}/visibility` : `/api/v1/private/games/${uid}`
      const method = 'visibility' in values ? 'PUT' : 'PATCH'
      expect((await developer.json(method, path, values)).status).toBe(200)
      expect((await readPage(username)).featured).toBeNull()
    }
    await developer.json('PATCH', '/api/v1/private/me', { featured: shown.uid })
    expect((await readPage(username)).featured).toBe(shown.uid)
  })
})

test('a suspended account’s pictures, text and links vanish, and come back with the account', async () => {
  const operator = await signUpOperator(server)
  const developer = await signUp(server)
  const username = await usernameOf(developer)
  const game = await insertPublicGame(server, developer, { name: `Card${crypto.randomUUID().slice(0, 8)}` })
  await indexNow(server, game.uid)
  const [picture, banner] = [await upload(developer, 'picture'), await upload(developer, 'banner')]
  const links = [{ label: 'Site', url: 'https://ada.example.org' }]
  await developer.json('PATCH', '/api/v1/private/me', { bio: 'Hello', links, featured: game.uid })
  const onCard = async () => (await searchFor(server, `q=${game.name}`)).items[0]?.developer.picture
  await waitFor('the picture', async () => (await onCard()) === picture)

  await act(operator, `accounts/${developer.uid}/suspend`, { reason: 'Stolen pictures.' })
  await waitFor('the card without it', async () => (await onCard()) === null, PROMPT_MS)
  await waitFor(
    'the files end',
    async () => !(await isServed(picture)) && !(await isServed(banner)),
    PROMPT_MS,
  )
  expect(await readPage(username)).toMatchObject({
    picture: null,
    banner: null,
    bio: '',
    links: [],
    featured: null,
  })

  await act(operator, `accounts/${developer.uid}/restore`)
  await waitFor('the card with it', async () => (await onCard()) === picture, PROMPT_MS)
  await waitFor('the files', async () => (await isServed(picture)) && (await isServed(banner)), PROMPT_MS)
  expect(await readPage(username)).toMatchObject({ picture, banner, bio: 'Hello', links, featured: game.uid })
})
