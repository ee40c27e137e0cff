import { describe, expect, test } from 'bun:test'

import { bearerOf } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import {
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const ME = '/api/v1/private/me'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

/** Someone who plays a game and has said what they think of it. */
async function makePlayer() {
  const [owner, player] = [await signUp(server), await signUp(server)]
  const game = await insertPublicGame(server, owner)
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, 120)
  await verifyEmail(server, player)
  const review = { rating: 4, text: 'The lamps are lovely.' }
  await player.json('PUT', `/api/v1/private/games/${game.uid}/review`, review)
  return { owner, player, game }
}

describe('the export', () => {
  test('holds what belongs to the person, and no secret', async () => {
    const { player, game } = await makePlayer()
    const made = await player.json('POST', '/api/v1/private/player-keys', { label: 'Laptop' })
    const { key } = await readData<{ key: string }>(made)
    const answer = await player.fetch(`${ME}/export`)
    const text = await answer.clone().text()
    expect(await readData<object>(answer)).toMatchObject({
      account: { email: player.email, hidden_tags: [] },
      sessions: [{ ip_address: player.address }],
      player_keys: [{ label: 'Laptop' }],
      projects: [],
      licenses: [{ game_uid: game.uid }],
      play_times: [{ game_uid: game.uid, seconds: 7200 }],
      reviews: [{ game_uid: game.uid, text: 'The lamps are lovely.' }],
    })
    expect(text).not.toContain(key)
    expect(text).not.toContain(player.cookie.split('=')[1]?.split('.')[0] ?? 'no session')
  })
})

describe('deleting an account', () => {
  test('ends everything at once and tells by mail', async () => {
    const { player, game } = await makePlayer()
    const bearer = await bearerOf(player)
    expect((await player.json('DELETE', ME, { password: player.password })).status).toBe(200)
    expect((await player.fetch(ME)).status).toBe(401)
    expect((await server.fetch('/api/v1/public/search', { headers: bearer })).status).toBe(401)
    const reviews = await server.fetch(`/api/v1/public/games/${game.uid}/reviews`)
    expect(await readData<object>(reviews)).toMatchObject({ total: 0 })
    const { email, password } = player
    expect((await player.json('POST', '/api/auth/sign-in/email', { email, password })).status).toBe(401)
    await waitForMail(server, email, 'Your account was deleted')
  })

  test('needs the password', async () => {
    const player = await signUp(server)
    const failure = await readFailure(await player.json('DELETE', ME, { password: 'not the password' }))
    expect(failure).toMatchObject({ status: 400, data: { issues: [{ path: 'password' }] } })
    expect((await player.fetch(ME)).status).toBe(200)
  })

  test('is refused while the person owns a listing, which is named', async () => {
    const owner = await signUp(server)
    await insertGame(server, owner, { name: 'Last Lamp' })
    const failure = await readFailure(await owner.json('DELETE', ME, { password: owner.password }))
    expect(failure).toMatchObject({ status: 409, code: 4090 })
    expect(failure.message).toContain('Last Lamp')
    expect((await owner.fetch(ME)).status).toBe(200)
  })
})

describe('another e-mail address', () => {
  test('is confirmed with the link in its mail, and the old one is told', async () => {
    const person = await signUp(server)
    const newEmail = `new-${crypto.randomUUID().slice(0, 8)}@example.org`
    const { password } = person
    expect((await person.json('POST', '/api/auth/change-email', { newEmail, password })).status).toBe(200)
    await waitForMail(server, person.email, 'Your e-mail address is about to change')
    expect(await readData<object>(await person.fetch(ME))).toMatchObject({ email: person.email })
    const { link } = await waitForMail(server, newEmail, 'Confirm your e-mail address')
    const token = new URL(link).searchParams.get('token')
    expect((await person.json('POST', '/api/auth/verify-email', { token })).status).toBe(200)
    expect(await readData<object>(await person.fetch(ME))).toMatchObject({
      email: newEmail,
      email_verified: true,
    })
  })

  test('needs the password', async () => {
    const person = await signUp(server)
    const body = { newEmail: 'taken-over@example.org', password: 'not the password' }
    for (const sent of [body, { newEmail: body.newEmail }]) {
      expect((await person.json('POST', '/api/auth/change-email', sent)).status).toBe(400)
    }
  })
})
