import { describe, expect, test } from 'bun:test'

import { NOTICE_KINDS } from '../../../../../src/domain/notices.ts'
import { bearerOf } from '../../../../helpers/catalog.ts'
import {
  changeSettings,
  findSettingsRow,
  readSettings,
  SETTINGS,
  signUpFollower,
} from '../../../../helpers/digests/digests.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { signUp } from '../../../../helpers/people.ts'
import { useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

describe('the settings of notices', () => {
  test('have defaults: news of many listings in a weekly digest, what is mailed anyway not twice', async () => {
    const person = await signUpFollower(server, [])
    const settings = await readSettings(person)
    expect(settings).toMatchObject({ digest: 'weekly', hour: 18, time_zone: 'UTC', stopped: null })
    expect(Object.keys(settings.kinds).toSorted()).toEqual(NOTICE_KINDS.toSorted())
    expect(settings.kinds).toMatchObject({
      release: 'digest',
      post: 'digest',
      new_game: 'digest',
      price: 'digest',
      released: 'digest',
      review_answer: 'at_once',
    })
    const next = new Date(settings.next_digest_at ?? 0)
    expect([next.getUTCDay(), next.getUTCHours(), next.getUTCMinutes()]).toEqual([5, 18, 0])
    expect(next.getTime()).toBeGreaterThan(Date.now())
  })

  test('change what is sent, and keep the rest', async () => {
    const person = await signUpFollower(server, [])
    const changed = await changeSettings(person, { kinds: { post: 'never' }, hour: 7 })
    expect(changed).toMatchObject({ digest: 'weekly', hour: 7, kinds: { post: 'never', release: 'digest' } })
    const again = await changeSettings(person, { digest: 'daily', time_zone: 'Asia/Kolkata' })
    expect(again).toMatchObject({
      digest: 'daily',
      hour: 7,
      time_zone: 'Asia/Kolkata',
      kinds: { post: 'never' },
    })
    const next = new Date(again.next_digest_at ?? 0)
    expect([next.getUTCHours(), next.getUTCMinutes()]).toEqual([1, 30])
    const back = await changeSettings(person, { kinds: { post: 'digest' } })
    expect(back.kinds.post).toBe('digest')
    expect((await findSettingsRow(server, person))?.kinds).toEqual({})
  })

  test('have no next digest when nothing is in one', async () => {
    const person = await signUpFollower(server, [])
    const never = Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, 'never']))
    expect((await changeSettings(person, { kinds: never })).next_digest_at).toBeNull()
    expect((await changeSettings(person, { kinds: { jam: 'digest' } })).next_digest_at).not.toBeNull()
  })

  test('can be sent back as they were read', async () => {
    const person = await signUpFollower(server, [])
    const settings = await changeSettings(person, { kinds: { release: 'at_once' }, hour: 0 })
    expect(await changeSettings(person, settings)).toEqual(settings)
    const answer = await person.json('PATCH', SETTINGS, { ...settings, stopped: 'bounced' })
    expect(await readFailure(answer)).toMatchObject({ status: 400, data: { issues: [{ path: 'stopped' }] } })
  })

  test.each<[string, unknown]>([
    ['kinds.news', { kinds: { news: 'digest' } }],
    ['kinds.post', { kinds: { post: 'sometimes' } }],
    ['kinds.post', { kinds: { post: null } }],
    ['kinds', { kinds: 'digest' }],
    ['digest', { digest: 'monthly' }],
    ['hour', { hour: 24 }],
    ['hour', { hour: -1 }],
    ['hour', { hour: 7.5 }],
    ['hour', { hour: '7' }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['time_zone', { time_zone: '+02:00' }],
    ['time_zone', { time_zone: '' }],
    ['time_zone', { time_zone: 'Europe/\u202eBerlin' }],
    ['time_zone', { time_zone: 'a'.repeat(65) }],
    ['weekday', { weekday: 3 }],
  ])('refuse a wrong %s, and name it', async (path, patch) => {
    const person = await signUp(server)
    const failure = await readFailure(await person.json('PATCH', SETTINGS, patch))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
    expect(JSON.stringify(failure.data)).toContain(`"${path}"`)
    expect(await findSettingsRow(server, person)).toBeUndefined()
  })

  test('take the keys of players by their scopes', async () => {
    const person = await signUpFollower(server, [])
    const headers = { 'content-type': 'application/json', ...(await bearerOf(person)) }
    expect((await server.fetch(SETTINGS, { headers })).status).toBe(200)
    const made = await person.json('POST', '/api/v1/private/player-keys', {
      label: 'Reads',
      scopes: ['player:read'],
    })
    const { key } = await readData<{ key: string }>(made)
    const reader = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    expect((await server.fetch(SETTINGS, { headers: reader })).status).toBe(200)
    const change = { method: 'PATCH', headers: reader, body: JSON.stringify({ hour: 3 }) }
    expect((await server.fetch(SETTINGS, change)).status).toBe(403)
    expect((await readSettings(person)).hour).toBe(18)
    expect((await server.fetch(SETTINGS)).status).toBe(401)
  })

  test('say that an unconfirmed address gets nothing', async () => {
    expect(await readSettings(await signUp(server))).toMatchObject({ stopped: 'unconfirmed' })
  })

  test('of changes at the same time, none is lost', async () => {
    const person = await signUpFollower(server, [])
    await Promise.all(NOTICE_KINDS.map((kind) => changeSettings(person, { kinds: { [kind]: 'never' } })))
    const { kinds } = await readSettings(person)
    expect(new Set(Object.values(kinds))).toEqual(new Set(['never']))
  })

  test('are in the export, and go with the account', async () => {
    const person = await signUpFollower(server, [])
    const read = async () => await readData<object>(await person.fetch('/api/v1/private/me/export'))
    expect(await read()).toMatchObject({ notice_settings: null })
    await changeSettings(person, { kinds: { post: 'at_once' }, hour: 6, time_zone: 'Europe/Berlin' })
    expect(await read()).toMatchObject({
      notice_settings: { kinds: { post: 'at_once' }, digest: 'weekly', hour: 6, time_zone: 'Europe/Berlin' },
    })
    const { password } = person
    expect((await person.json('DELETE', '/api/v1/private/me', { password })).status).toBe(200)
    expect(await findSettingsRow(server, person)).toBeUndefined()
  })
})
