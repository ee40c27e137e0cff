import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../src/db/schema/builds.ts'
import { games, oldVanityNames } from '../../../src/db/schema/games/games.ts'
import { notifyChange } from '../../../src/features/games/service.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { readData, readFailure } from '../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../../helpers/listings.ts'
import { act, signUpOperator } from '../../helpers/operators.ts'
import { type Person, randomAddress, readCookies, signUp } from '../../helpers/people.ts'
import { mergeCookies } from '../../helpers/sign-in/factors.ts'
import { usePerson, useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)

beforeAll(async () => {
  await verifyEmail(server, player)
})

const html = { accept: 'text/html' }

async function open(
  path: string,
  person?: Person,
): Promise<{ status: number; text: string; answer: Response }> {
  const answer = await (person
    ? person.fetch(path, { headers: html })
    : server.fetch(path, { headers: html }))
  return { status: answer.status, text: await answer.clone().text(), answer }
}

async function post(person: Person, path: string, fields: Record<string, string> = {}): Promise<Response> {
  return await person.fetch(path, { method: 'POST', headers: html, body: new URLSearchParams(fields) })
}

/** A free public listing that the player has. */
async function insertOwned(minutes = 0): Promise<GameRow> {
  const game = await insertPublicGame(server, owner)
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, minutes)
  return game
}

const SUB_PAGES = ['', '/reviews', '/changelog', '/mods', '/press', '/press.zip', '/report', '/report-bug']

describe('a page nobody may see', () => {
  test.each(SUB_PAGES)('is the same as a missing one: /games/{name}%s', async (tail) => {
    const draft = await insertGame(server, owner, { visibility: 'draft' })
    for (const person of [undefined, player]) {
      const hidden = await open(`/games/${draft.vanityName}${tail}`, person)
      const missing = await open(`/games/no-such-page${tail}`, person)
      expect(hidden.status).toBe(404)
      expect(hidden.text.replaceAll(draft.vanityName, 'no-such-page')).toBe(missing.text)
    }
  })

  test('a file of a hidden build is missing for everyone but its makers', async () => {
    const game = await insertPublicGame(server, owner)
    const file = await insertFile(server, await insertBuild(server, game.uid, { channel: 'dev' }))
    const path = `/games/${game.vanityName}/files/${file.uid}`
    const missing = `/games/${game.vanityName}/files/${createUid()}`
    for (const person of [undefined, player]) {
      expect([(await open(path, person)).status, (await open(missing, person)).status]).toEqual([404, 404])
    }
    expect((await open(path, owner)).status).toBe(200)
  })
})

describe('a draft', () => {
  test('is shown to its makers with a notice, a link to the studio, and to no search engine', async () => {
    const draft = await insertGame(server, owner, { visibility: 'draft' })
    await insertAdmin(server, draft.uid, player, 'accepted')
    for (const maker of [owner, player]) {
      const { status, text } = await open(`/games/${draft.vanityName}`, maker)
      expect(status).toBe(200)
      expect(text).toContain('This page is a draft')
      expect(text).toContain(`href="/studio/${draft.vanityName}/overview"`)
      expect(text).toContain('<meta name="robots" content="noindex"')
      expect(text).not.toContain('/claim')
    }
  })
})

describe('an invisible page', () => {
  test('offers its listing as a public one does, and the button works', async () => {
    const game = await insertGame(server, owner, { visibility: 'invisible' })
    const build = await insertBuild(server, game.uid)
    const file = await insertFile(server, build)
    await pointChannel(server, build)
    const guest = await open(`/games/${game.vanityName}`)
    expect(guest.text).toContain(`action="/games/${game.vanityName}/get"`)
    const visitor = await signUp(server)
    expect((await open(`/games/${game.vanityName}`, visitor)).text).toContain(
      `/games/${game.vanityName}/claim`,
    )
    expect((await post(visitor, `/games/${game.vanityName}/claim`, {})).status).toBe(303)
    const after = await open(`/games/${game.vanityName}`, visitor)
    expect(after.text).toContain('In your library')
    expect(after.text).toContain(`/games/${game.vanityName}/files/${file.uid}/download`)
  })
})

describe('Get while signed out', () => {
  const guest = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    server.fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...html, origin: server.url, 'x-forwarded-for': randomAddress(), ...headers },
    })
  const pathsOf = ({ vanityName }: GameRow) => [`/games/${vanityName}`, `/games/${vanityName}/get`] as const
  const hasLicense = async (uid: string, { json }: Person) => {
    const answer = await json('GET', '/api/v1/private/library')
    return (await readData<{ items: { game: { uid: string } }[] }>(answer)).items.some(
      ({ game }) => game.uid === uid,
    )
  }

  test('leads through signing up to the game in the library, and asks to confirm the address', async () => {
    const game = await insertPublicGame(server, owner)
    const [page, get] = pathsOf(game)
    expect((await open(page)).text).toContain(`<form method="post" action="${get}"`)
    const asked = await guest(get, {})
    const signInPath = `/sign-in?next=${encodeURIComponent(get)}`
    expect([asked.status, asked.headers.get('location')]).toEqual([303, signInPath])
    const [wish = ''] = asked.headers.getSetCookie()
    expect(wish).toContain(`; Path=${get}; `)
    expect(wish).toContain('; HttpOnly; SameSite=Lax')
    const form = (await open(signInPath)).text
    expect(form).toContain('then in your library')
    expect(form).toContain(`href="/sign-up?next=${encodeURIComponent(get)}"`)
    expect((await open(`/sign-up?next=${encodeURIComponent(get)}`)).text).toContain('then in your library')
    const email = `${createUid()}@example.org`
    const signedUp = await guest('/sign-up', { name: 'Ada', email, password: 'a long password', next: get })
    expect([signedUp.status, signedUp.headers.get('location')]).toEqual([303, get])
    const cookie = mergeCookies(readCookies(asked), readCookies(signedUp))
    const got = await server.fetch(get, { headers: { ...html, cookie } })
    expect([got.status, got.headers.get('location')]).toEqual([303, `${page}?done=claimed`])
    expect(got.headers.getSetCookie().join()).toContain('Max-Age=0')
    const shown = await (await server.fetch(`${page}?done=claimed`, { headers: { ...html, cookie } })).text()
    expect(shown).toContain('It is in your library now')
    expect(shown).toContain('In your library')
    expect(shown).toContain(`We sent a link to ${email}`)
    expect(shown).toContain('href="/verify"')
  })

  test('who signed in meanwhile has it at once, and is told nothing about a confirmed address', async () => {
    const game = await insertPublicGame(server, owner)
    const [page, get] = pathsOf(game)
    const asked = await post(player, get)
    expect(asked.headers.get('location')).toBe(get)
    const cookie = mergeCookies(player.cookie, readCookies(asked))
    const got = await server.fetch(get, { headers: { ...html, cookie } })
    expect(got.headers.get('location')).toBe(`${page}?done=claimed`)
    expect((await open(`${page}?done=claimed`, player)).text).not.toContain('href="/verify"')
  })

  test('nothing but one’s own press of the button puts a game into a library', async () => {
    const [game, other] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    const [page, get] = pathsOf(game)
    const visitor = await signUp(server)
    const wishOf = async (path: string) => readCookies(await guest(path, {}))
    const [name = ''] = (await wishOf(get)).split('=')
    const later = Date.now() + 60_000
    const wishes = [
      '',
      `${name}=`,
      `${name}=1`,
      `${name}=${later}.${'a'.repeat(43)}`,
      `${name}=${later}.${server.deps.keyring.sign(`${game.uid} ${later}`)}`,
      await wishOf(pathsOf(other)[1]),
      'x=1; '.repeat(500),
    ]
    for (const wish of wishes) {
      const headers = { ...html, cookie: [visitor.cookie, wish].filter(Boolean).join('; ') }
      const answer = await server.fetch(get, { headers })
      expect([wish, answer.status, answer.headers.get('location')]).toEqual([wish, 303, page])
    }
    const foreign = await guest(get, {}, { origin: 'https://evil.example' })
    expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
    expect(await hasLicense(game.uid, visitor)).toBe(false)
    // Without a session the way back is the page.
    const alone = await server.fetch(get, { headers: { ...html, cookie: await wishOf(get) } })
    expect(alone.headers.get('location')).toBe(page)
  })

  test('what cannot be had is told on its page', async () => {
    const game = await insertPublicGame(server, owner)
    const [, get] = pathsOf(game)
    const visitor = await signUp(server)
    const cookie = mergeCookies(visitor.cookie, readCookies(await guest(get, {})))
    await visitor.json('GET', '/api/v1/private/me')
    await server.deps.db.update(games).set({ priceCents: 999 }).where(eq(games.uid, game.uid))
    const refused = await server.fetch(get, { headers: { ...html, cookie } })
    expect(await refused.text()).toContain('is not free')
    expect(await hasLicense(game.uid, visitor)).toBe(false)
    for (const method of ['GET', 'POST']) {
      const draft = await insertGame(server, owner, { visibility: 'draft' })
      const hidden = await visitor.fetch(`/games/${draft.vanityName}/get`, { method, headers: html })
      expect([method, hidden.status]).toEqual([method, 404])
    }
  })
})

describe('a listing that was renamed', () => {
  test('is found by its old name, signed in or not', async () => {
    const game = await insertPublicGame(server, owner)
    const name = `once-${createUid()}`.slice(0, 20)
    await server.deps.db.insert(oldVanityNames).values({ name, gameUid: game.uid })
    for (const person of [undefined, player]) {
      const { status, answer } = await open(`/games/${name}/reviews?page=2`, person)
      expect(status).toBe(301)
      expect(answer.headers.get('location')).toBe(`/games/${game.vanityName}/reviews?page=2`)
    }
  })
})

describe('reviews', () => {
  test('a refused review keeps what was written and names the fault at its field', async () => {
    const game = await insertOwned()
    const answer = await post(player, `/games/${game.vanityName}/review`, { text: 'I <b>liked</b> it' })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    expect(text).toContain('I &lt;b>liked&lt;/b> it</textarea>')
    expect(text).toContain('href="#review-rating"')
    expect(text).toContain('aria-describedby="review-rating-fault"')
    expect(text).toContain('id="review-rating-fault">Choose 1 to 5 stars.</p>')
  })

  test('a report without a reason asks for one, in the words of its page', async () => {
    const game = await insertOwned()
    const answer = await post(player, `/games/${game.vanityName}/report`, { text: 'It stole my lamp.' })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    expect(text).toContain('Choose the reason.')
    expect(text).not.toContain('malware, ')
    expect(text).toContain('It stole my lamp.')
  })

  test('are written, changed and deleted by forms', async () => {
    const game = await insertOwned()
    const page = `/games/${game.vanityName}`
    const review = { rating: '4', text: 'The lamp turns.' }
    expect((await post(player, `${page}/review`, review)).headers.get('location')).toBe(
      `${page}?done=reviewed#reviews`,
    )
    await post(player, `${page}/review`, { ...review, rating: '2' })
    const written = await open(page, player)
    expect(written.text).toContain('<strong class="average">2.0</strong>')
    expect(written.text).toContain('Save review')
    await post(player, `${page}/review/delete`)
    expect((await open(page, player)).text).toContain('Nobody has reviewed it yet.')
  })

  test('need a session, and a form of our own', async () => {
    const game = await insertOwned()
    const init = { method: 'POST', body: new URLSearchParams({ rating: '5', text: '' }) }
    const path = `/games/${game.vanityName}/review`
    const signedOut = await server.fetch(path, { ...init, headers: { origin: server.url, ...html } })
    expect(signedOut.status).toBe(401)
    const foreign = await player.fetch(path, { ...init, headers: { origin: 'https://evil.example' } })
    expect(foreign.status).toBe(403)
  })
})

describe('tag suggestions', () => {
  test('the page says how much play time is missing, then takes tags with commas', async () => {
    const game = await insertOwned(45)
    const page = `/games/${game.vanityName}`
    expect((await open(page, player)).text).toContain('play 15 minutes more')
    await setPlayMinutes(server, game.uid, player, 60)
    const saved = await post(player, `${page}/tags`, { tags: 'Night Sky, quiet' })
    expect(saved.status).toBe(303)
    expect((await open(page, player)).text).toContain('value="night-sky, quiet"')
  })

  test('a refused tag is named as it was typed', async () => {
    const game = await insertOwned(60)
    const tags = `/games/${game.vanityName}/tags`
    const text = await (await post(player, tags, { tags: 'fine, , not/fine' })).text()
    expect(text).toContain('“not/fine” in the tags must be a word of a-z, 0-9 and -')
    expect(text).not.toContain('Entry')
    expect((await post(player, tags, { tags: 'quiet, , night,' })).status).toBe(303)
  })

  test('too many are refused and stay in the field', async () => {
    const game = await insertOwned(60)
    const answer = await post(player, `/games/${game.vanityName}/tags`, { tags: 'a,b,c,d,e,f' })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    expect(text).toContain('value="a,b,c,d,e,f"')
    expect(text).toContain('aria-describedby="tags-tags-fault tags-tags-hint"')
  })
})

describe('downloads', () => {
  test('the page and the library tell how to install it with shelf', async () => {
    const [empty, game] = [await insertOwned(), await insertOwned()]
    expect((await open(`/games/${empty.vanityName}`)).text).not.toContain('Install with shelf')
    const path = `/games/${game.vanityName}`
    const build = await insertBuild(server, game.uid)
    await insertFile(server, build)
    await pointChannel(server, build)
    const { text } = await open(path)
    expect(text).toContain('Install with shelf')
    expect(text).toContain(`shelf get ${server.url}${path}<`)
    expect(text).toContain(`curl -fsSL ${server.url}/install.sh | sh`)
    const headers = { ...html, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }
    const library = await (await player.fetch('/library', { headers })).text()
    expect(library).toContain(`shelf get ${server.url}${path}<`)
  })

  test('beta files are shown to players who joined the beta', async () => {
    const game = await insertOwned()
    const build = await insertBuild(server, game.uid, { channel: 'beta', version: '2.0.0-beta' })
    await insertFile(server, build)
    await pointChannel(server, build)
    const page = `/games/${game.vanityName}`
    expect((await open(page, player)).text).not.toContain('2.0.0-beta')
    await post(player, `${page}/beta`, { beta: 'join' })
    expect((await open(page, player)).text).toContain('2.0.0-beta')
    expect((await open(page)).text).not.toContain('2.0.0-beta')
  })

  test('a build that is still being scanned is mentioned, the first one and a newer one', async () => {
    const game = await insertPublicGame(server, owner, { anonymousDownloads: true })
    const page = `/games/${game.vanityName}`
    expect((await open(page, player)).text).toContain('Nothing to download yet')
    const first = await insertBuild(server, game.uid)
    const file = await insertFile(server, first, { scan: 'scanning' })
    const announce = () => server.deps.db.transaction((tx) => notifyChange(tx, game.uid))
    const shows = async (text: string) => (await open(page, player)).text.includes(text)
    await announce()
    await waitFor('the first build', () => shows('1.0.0 for Linux is being scanned'))
    await server.deps.db.update(files).set({ scan: 'clean' }).where(eq(files.uid, file.uid))
    await pointChannel(server, first)
    const newer = await insertBuild(server, game.uid, { version: '1.1.0' })
    await insertFile(server, newer, { scan: 'scanning' })
    await announce()
    await waitFor('the newer build', () => shows('1.1.0 for Linux is being scanned'))
    expect((await open(page, player)).text).toContain(`${file.uid}/download`)
  })

  test('an adult page warns and offers no download until one opts in; its press page is missing', async () => {
    const game = await insertPublicGame(server, owner, { adult: true, anonymousDownloads: true })
    const build = await insertBuild(server, game.uid)
    const file = await insertFile(server, build)
    await pointChannel(server, build)
    const page = `/games/${game.vanityName}`
    const reader = await signUp(server)
    const gated = await open(page, reader)
    expect([gated.status, (await open(`${page}/press`, reader)).status]).toEqual([200, 404])
    expect(gated.text).toContain('This page is for adults')
    expect(gated.text).not.toContain(file.uid)
    await reader.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await open(page, reader)).text).toContain(`${file.uid}/download`)
    expect((await open(`${page}/press`, reader)).status).toBe(200)
  })
})

test('the warning of an adult page leads to the choice, and from there back to the page', async () => {
  const game = await insertPublicGame(server, owner, { adult: true })
  const page = `/games/${game.vanityName}`
  const choice = `/account/privacy?next=${encodeURIComponent(page)}`
  expect((await open(page)).text).toContain(`href="/sign-in?next=${encodeURIComponent(choice)}"`)
  const reader = await signUp(server)
  expect((await open(page, reader)).text).toContain(`href="${choice}#privacy"`)
  const { text } = await open(choice, reader)
  expect(text).toContain(`<input type="hidden" name="next" value="${page}"`)
  const fields = { hidden_tags: '', next: page }
  const stayed = await post(reader, '/account/privacy', fields)
  expect(stayed.headers.get('location')).toStartWith('/account/privacy?done=privacy')
  const saved = await post(reader, '/account/privacy', { ...fields, adult_content: 'on' })
  expect([saved.status, saved.headers.get('location')]).toEqual([303, page])
  expect((await open(page, reader)).text).not.toContain('This page is for adults')
  // Never to another host.
  const elsewhere = { ...fields, adult_content: 'on', next: '//elsewhere.example/' }
  const kept = await post(reader, '/account/privacy', elsewhere)
  expect(kept.headers.get('location')).toStartWith('/account/privacy?done=privacy')
})

test('a page that was taken down tells its owner to object only where somebody reads it', async () => {
  const operator = await signUpOperator(server)
  const game = await insertPublicGame(server, owner)
  const reason = 'The music belongs to somebody else.'
  expect((await act(operator, `listings/${game.uid}/take-down`, { reason })).status).toBe(200)
  const told = async (contact: string | null) => {
    await operator.json('PATCH', '/api/v1/operator/settings', { contact })
    const { text } = await open(`/games/${game.vanityName}`, owner)
    expect(text).toContain(reason)
    return /To object[^.]*<|To object.*?\.(?=<)/s.exec(text.replaceAll(/<\/?a[^>]*>/g, ''))?.[0] ?? null
  }
  expect(await told(null)).toBeNull()
  expect(await told('help@example.org')).toContain('To object, answer their mail.')
  expect(await told('https://example.org/help')).toContain('write to them at https://example.org/help')
  await operator.json('PATCH', '/api/v1/operator/settings', { contact: null })
  // The API knows no contact, so it promises none.
  await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
  const publish = { visibility: 'public' }
  const { message } = await readFailure(
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, publish),
  )
  expect(message).toContain(reason)
  expect(message).not.toMatch(/object|mail/)
})

describe('where a file comes from', () => {
  test('inner files are found by a part of their path or by their SHA-256', async () => {
    const game = await insertPublicGame(server, owner)
    const build = await insertBuild(server, game.uid)
    await pointChannel(server, build)
    const entry = (path: string, letter: string) => ({ path, size: 3, sha256: letter.repeat(64) })
    const entries = [entry('data/Stars.bin', 'a'), entry('data/100%.txt', 'b'), entry('read_me', 'c')]
    const file = await insertFile(server, build, {}, entries)
    const find = async (q: string) => {
      const { text } = await open(`/games/${game.vanityName}/files/${file.uid}?q=${encodeURIComponent(q)}`)
      return [...text.matchAll(/<bdi data-path(?:="true")?>([^<]*)/g)].map(([, path]) => path)
    }
    expect(await find('')).toEqual(['data/100%.txt', 'data/Stars.bin', 'read_me'])
    expect(await find('stars')).toEqual(['data/Stars.bin'])
    expect(await find('%')).toEqual(['data/100%.txt'])
    expect(await find('C'.repeat(64))).toEqual(['read_me'])
    expect(await find('nothing')).toEqual([])
  })
})
