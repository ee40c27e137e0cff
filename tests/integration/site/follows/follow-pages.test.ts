import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { gameFollows, wishlistShares } from '../../../../src/db/schema/follows.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let paid: GameRow
let free: GameRow
beforeAll(async () => {
  paid = await insertPublicGame(server, owner, { name: 'Paid One', priceCents: 1000 })
  free = await insertPublicGame(server, owner, { name: 'Free One', status: 'released' })
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = async (person: Person, path: string, body: string) =>
  await person.fetch(path, { method: 'POST', headers: form, body, redirect: 'manual' })
const buttonsOf = (page: string) =>
  [...page.matchAll(/name="act" value="(follow|unfollow|wish|unwish)"/g)].map(([, act]) => act)
const follow = (person: Person, uid: string, body: object = {}) =>
  person.json('PUT', `/api/v1/private/follows/games/${uid}`, body)

describe('the buttons', () => {
  test('of a store page follow and wish, each without the other', async () => {
    const player = await signUp(server)
    const page = `/games/${paid.vanityName}`
    const press = async (act: string) => {
      const answer = await post(player, `${page}/follow`, `act=${act}`)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `${page}?done=${act}`])
      return buttonsOf(await readPage(player, page))
    }
    expect(buttonsOf(await readPage(player, page))).toEqual(['follow', 'wish'])
    expect(await press('wish')).toEqual(['follow', 'unwish'])
    expect(await press('follow')).toEqual(['unfollow', 'unwish'])
    expect(await press('unwish')).toEqual(['unfollow', 'wish'])
    expect(await press('unfollow')).toEqual(['follow', 'wish'])
    expect(await press('unfollow')).toEqual(['follow', 'wish'])
    const left = await server.deps.db.select().from(gameFollows).where(eq(gameFollows.userUid, player.uid))
    expect(left).toEqual([])
    expect(await readPage(player, `${page}?done=follow`)).toContain('You follow it')
  })

  test('offer the wishlist for what costs something or is not released, until one has it', async () => {
    const player = await signUp(server)
    const early = await insertPublicGame(server, owner, { status: 'in_development' })
    expect(buttonsOf(await readPage(player, `/games/${free.vanityName}`))).toEqual(['follow'])
    expect(buttonsOf(await readPage(player, `/games/${early.vanityName}`))).toEqual(['follow', 'wish'])
    await post(player, `/games/${early.vanityName}/claim`, '')
    expect(buttonsOf(await readPage(player, `/games/${early.vanityName}`))).toEqual(['unfollow'])
    expect(buttonsOf(await readPage(owner, `/games/${early.vanityName}`))).toEqual([])
  })

  test('lead guests to the sign-in, on a page that is rendered once for all of them', async () => {
    const path = `/games/${paid.vanityName}`
    const page = await readPage(server, path)
    expect(buttonsOf(page)).toEqual([])
    expect(page).toContain(`href="/sign-in?next=${encodeURIComponent(path)}"`)
    const statements = await watchStatements(server, async () => {
      expect(await readPage(server, path)).toBe(page)
    })
    expect(statements.filter(({ text }) => text.includes('follows'))).toEqual([])
    const answer = await server.fetch(`${path}/follow`, {
      method: 'POST',
      headers: { ...form, origin: server.url },
      body: 'act=follow',
    })
    expect([303, 401]).toContain(answer.status)
  })

  test('of a developer page follow the developer', async () => {
    const player = await signUp(server)
    const page = `/developers/${await usernameOf(owner)}`
    expect(buttonsOf(await readPage(player, page))).toEqual(['follow'])
    expect((await post(player, `${page}/follow`, 'act=follow')).status).toBe(303)
    expect(buttonsOf(await readPage(player, page))).toEqual(['unfollow'])
    expect((await post(player, `${page}/follow`, 'act=unfollow')).status).toBe(303)
    expect(buttonsOf(await readPage(player, page))).toEqual(['follow'])
    expect(buttonsOf(await readPage(owner, page))).toEqual([])
    expect((await post(player, '/developers/nobody-here/follow', 'act=follow')).status).toBe(404)
  })

  test('refuse everything else with a page, and change nothing', async () => {
    const player = await signUp(server)
    const hidden = await insertGame(server, owner, { visibility: 'draft' })
    for (const body of ['', 'act=x', 'act=follow%00'])
      expect((await post(player, `/games/${paid.vanityName}/follow`, body)).status).toBeOneOf([400, 422])
    expect((await post(player, `/games/${hidden.vanityName}/follow`, 'act=follow')).status).toBe(404)
    const elsewhere = await player.fetch(`/games/${paid.vanityName}/follow`, {
      method: 'POST',
      headers: { ...form, origin: 'https://evil.example' },
      body: 'act=follow',
    })
    expect(elsewhere.status).toBe(403)
    expect(buttonsOf(await readPage(player, `/games/${paid.vanityName}`))).toEqual(['follow', 'wish'])
  })
})

test('cards tell what is followed and wished, to nobody else', async () => {
  const [player, other] = await Promise.all([signUp(server), signUp(server)])
  await follow(player, free.uid)
  await follow(player, paid.uid, { releases: false, posts: false, wish: true })
  const path = `/developers/${await usernameOf(owner)}`
  const page = await readPage(player, path)
  expect(page.match(/>Following</g)).toHaveLength(2)
  expect(page.match(/>On your wishlist</g)).toHaveLength(1)
  expect(await readPage(other, path)).not.toContain('On your wishlist')
  expect(await readPage(player, '/search?followed=true')).toContain('name="followed" value="true" checked')
  expect(await readPage(server, '/search')).not.toContain('name="followed"')
})

describe('/following', () => {
  test('lists games and developers, and narrows and ends what one hears', async () => {
    const player = await signUp(server)
    expect(await readPage(player, '/following')).toContain('Nothing here yet')
    await follow(player, free.uid, { wish: true })
    await player.json('PUT', `/api/v1/private/follows/developers/${owner.uid}`, {})
    const page = await readPage(player, '/following')
    expect(page).toContain('Free One')
    const developers = await readPage(player, '/following?kind=developers')
    expect(developers).toContain(`/developers/${await usernameOf(owner)}`)
    const saved = await post(
      player,
      `/following/games/${free.uid}`,
      'act=save&posts=true&platforms=linux&platforms=web',
    )
    expect(saved.headers.get('location')).toBe('/following?done=saved')
    const known = await readData<{ items: object[] }>(await player.fetch('/api/v1/private/follows'))
    expect(known.items).toMatchObject([
      { releases: false, posts: true, platforms: ['linux', 'web'], wish: true, position: 1 },
    ])
    const path = `/following/developers/${owner.uid}`
    expect((await post(player, path, 'act=save&new_games=true')).status).toBe(303)
    const list = await readData<{ items: object[] }>(
      await player.fetch('/api/v1/private/follows?kind=developers'),
    )
    expect(list.items).toMatchObject([{ new_games: true, posts: false }])
    expect((await post(player, path, 'act=stop')).status).toBe(303)
    expect((await post(player, `/following/games/${free.uid}`, 'act=stop')).status).toBe(303)
    expect(await readPage(player, '/following')).toContain('Nothing here yet')
    expect(await readPage(player, '/wishlist')).toContain('Free One')
  })

  test('shows faults, and is for signed-in people', async () => {
    const player = await signUp(server)
    await follow(player, free.uid)
    for (const [path, body] of [
      [`/following/games/${free.uid}`, 'act=save&platforms=amiga'],
      [`/following/games/${free.uid}`, 'act=x'],
      [`/following/games/${createUid()}`, 'act=save'],
      ['/following/games/nonsense', 'act=stop'],
      [`/following/developers/${createUid()}`, 'act=save'],
      ['/following/developers/nobody-here', 'act=stop'],
    ] as const)
      expect([400, 404, 422]).toContain((await post(player, path, body)).status)
    for (const path of ['/following', '/wishlist']) {
      const answer = await server.fetch(path, { redirect: 'manual' })
      expect(answer.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    }
  })
})

describe('/wishlist', () => {
  test('shows prices with what changed since, in an order that buttons change', async () => {
    const player = await signUp(server)
    const [one, two, hidden] = [
      await insertPublicGame(server, owner, { name: 'Alpha', priceCents: 2000 }),
      await insertPublicGame(server, owner, { name: 'Beta', priceCents: 1500 }),
      await insertPublicGame(server, owner, { name: 'Gamma', priceCents: 1500 }),
    ]
    for (const { uid } of [one, hidden, two]) await follow(player, uid, { wish: true })
    await server.deps.db.update(games).set({ priceCents: 1000 }).where(eq(games.uid, one.uid))
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, hidden.uid))
    const page = await readPage(player, '/wishlist')
    expect(page).toContain('50 % less')
    expect(page).toContain('It was $20.00 when you wished it.')
    expect(page.indexOf('Alpha')).toBeLessThan(page.indexOf('Beta'))
    // The hidden one keeps the second place, so one step up leads to the first.
    expect(page).toMatch(/name="position" value="1"[^>]*>Up<span[^>]*>: Beta/)
    expect((await post(player, `/wishlist/games/${two.uid}`, 'position=1')).headers.get('location')).toBe(
      '/wishlist?done=moved',
    )
    const moved = await readPage(player, '/wishlist')
    expect(moved.indexOf('Beta')).toBeLessThan(moved.indexOf('Alpha'))
    for (const position of ['0', 'x', '99999', '1.5'])
      expect([400, 422]).toContain(
        (await post(player, `/wishlist/games/${two.uid}`, `position=${position}`)).status,
      )
    expect((await post(player, `/wishlist/games/${two.uid}`, 'act=remove')).status).toBe(303)
    expect(await readPage(player, '/wishlist')).not.toContain('Beta')
  })

  test('is shared by a secret address until that is stopped', async () => {
    const player = await signUp(server)
    const adult = await insertPublicGame(server, owner, { name: 'Adult One', adult: true, priceCents: 500 })
    const unlisted = await insertGame(server, owner, { name: 'Unlisted One', visibility: 'invisible' })
    await player.json('PATCH', '/api/v1/private/me', { adult_content: true, display_name: '<b>Ada</b>' })
    for (const { uid } of [paid, adult, unlisted]) await follow(player, uid, { wish: true })
    const addressOf = (page: string) => /\/wishlist\/[\w-]{43}/.exec(page)?.[0] ?? ''
    expect(addressOf(await readPage(player, '/wishlist'))).toBe('')
    expect((await post(player, '/wishlist/share', 'act=share')).status).toBe(303)
    await post(player, '/wishlist/share', 'act=share')
    const path = addressOf(await readPage(player, '/wishlist'))
    expect(path).not.toBe('')
    const answer = await server.fetch(path, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const page = await answer.text()
    expect(page).toContain('Paid One')
    expect(page).toContain('&lt;b>Ada&lt;/b>')
    expect(page).toContain('noindex')
    for (const secret of ['Adult One', 'Unlisted One', player.email, 'when you wished it'])
      expect(page).not.toContain(secret)
    expect(await readPage(player, path)).toContain('Adult One')
    const [row] = await server.deps.db
      .select()
      .from(wishlistShares)
      .where(eq(wishlistShares.userUid, player.uid))
    expect(JSON.stringify(row)).not.toContain(path.slice(-43))
    expect((await post(player, '/wishlist/share', 'act=stop')).status).toBe(303)
    for (const wrong of [path, '/wishlist/x', `/wishlist/${'x'.repeat(3000)}`, '/wishlist/%00'])
      expect([400, 404]).toContain((await server.fetch(wrong)).status)
    await post(player, '/wishlist/share', 'act=share')
    expect(addressOf(await readPage(player, '/wishlist'))).not.toBe(path)
  })
})

test('the account says whether the library is followed', async () => {
  const player = await signUp(server)
  const isTicked = async () =>
    /name="follow_library" value="true" checked/.test(await readPage(player, '/account/privacy'))
  expect(await isTicked()).toBe(true)
  expect((await post(player, '/account/follows', '')).status).toBe(303)
  expect(await isTicked()).toBe(false)
  expect((await post(player, '/account/follows', 'follow_library=true')).status).toBe(303)
  expect(await isTicked()).toBe(true)
})

describe('the overview of the studio', () => {
  test('counts followers from five on, and never names them', async () => {
    const counted = await insertPublicGame(server, owner, { priceCents: 500 })
    const path = `/studio/${counted.vanityName}/overview`
    const counts = async () => {
      const page = await readPage(owner, path)
      const [, part = ''] = /id="followers-heading"(.*?)<\/section>/s.exec(page) ?? []
      return Object.fromEntries(
        [...part.matchAll(/<li><span>([^<]*)<\/span><span>([^<]*)<\/span>/g)].map(([, label, count]) => [
          label,
          count,
        ]),
      )
    }
    const people = await Promise.all(Array.from({ length: 5 }, () => signUp(server)))
    for (const person of people.slice(0, 4)) await follow(person, counted.uid)
    expect(await counts()).toMatchObject({ Followers: 'fewer than 5', 'On wishlists': 'fewer than 5' })
    for (const person of people) await follow(person, counted.uid, { platforms: ['linux'], wish: true })
    expect(await counts()).toMatchObject({
      Followers: '5',
      'New in the last 30 days': '5',
      'On wishlists': '5',
      'All systems': 'fewer than 5',
      Linux: '5',
      Windows: 'fewer than 5',
    })
    await server.deps.db
      .update(gameFollows)
      .set({ createdAt: new Date('2020-01-01') })
      .where(eq(gameFollows.gameUid, counted.uid))
    expect(await counts()).toMatchObject({ Followers: '5', 'New in the last 30 days': 'fewer than 5' })
    const page = await readPage(owner, path)
    for (const person of people) expect(page).not.toContain(await usernameOf(person))
  })
})
