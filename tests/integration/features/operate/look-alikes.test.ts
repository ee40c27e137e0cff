import { beforeAll, describe, expect, test } from 'bun:test'

import type { Me } from '../../../../src/features/accounts/model.ts'
import type { OperatorAccount } from '../../../../src/features/operate/accounts/model.ts'
import type { LookAlike } from '../../../../src/features/operate/look-alikes/model.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp, unnamed, usernameOf } from '../../../helpers/people.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const operator = usePerson(server, signUpOperator)
const developer = usePerson(server)
beforeAll(async () => {
  await insertPublicGame(server, developer)
  await rename(developer, 'Lantern Works')
})

async function rename(person: Person, display_name: string | null): Promise<void> {
  expect((await person.json('PATCH', '/api/v1/private/me', { display_name })).status).toBe(200)
}

/** What the operators are told about this account. */
async function toldOf({ uid }: Person): Promise<LookAlike | undefined> {
  const answer = await operator.fetch('/api/v1/operator/look-alikes?page_size=50')
  const { items } = await readData<{ items: LookAlike[] }>(answer)
  return items.find(({ account }) => account.uid === uid)
}

describe('operators are told of a name', () => {
  test.each(['Lаntеrn Wоrks', 'LANTERN W0RKS', 'Lantern\u2009Works.', 'Lantem Works'])(
    '%s, which looks like a developer’s',
    async (name) => {
      const person = await signUp(server)
      await rename(person, name)
      expect(await toldOf(person)).toMatchObject({
        account: { uid: person.uid, display_name: name },
        like: { uid: developer.uid, display_name: 'Lantern Works' },
      })
    },
  )

  test.each(['PIayshelf', 'Playshelf Team', 'Suppоrt', 'A d m i n'])(
    '%s, which looks like the store’s',
    async (name) => {
      const person = await signUp(server)
      await rename(person, name)
      expect(await toldOf(person)).toMatchObject({ account: { display_name: name }, like: null })
    },
  )

  test('that looks like a developer’s username, also one that was made at sign-up', async () => {
    const maker = await signUp(server, `Moss ${crypto.randomUUID().slice(0, 6)}`)
    await insertPublicGame(server, maker)
    const username = await usernameOf(maker)
    const person = await signUp(server, username.replaceAll('s', '5'))
    expect(await toldOf(person)).toMatchObject({ like: { uid: maker.uid } })
  })

  test('until it is changed', async () => {
    const person = await signUp(server)
    await rename(person, 'Lantern W0rks')
    expect(await toldOf(person)).toBeDefined()
    await rename(person, 'Something Else')
    expect(await toldOf(person)).toBeUndefined()
  })

  test('until they accept it, which is in the audit log; another such name is told again', async () => {
    const person = await signUp(server)
    await rename(person, 'Lantern W0rks')
    expect((await act(operator, `look-alikes/${person.uid}/dismiss`)).status).toBe(200)
    expect(await toldOf(person)).toBeUndefined()
    await rename(person, 'Lantern W0rks')
    expect(await toldOf(person)).toBeUndefined()
    expect((await act(operator, `look-alikes/${person.uid}/dismiss`)).status).toBe(404)
    await rename(person, 'Lantem Works')
    expect(await toldOf(person)).toBeDefined()
    const log = await readData<{ items: object[] }>(await operator.fetch('/api/v1/operator/audit'))
    const subject = { kind: 'account', id: person.uid }
    expect(log.items).toContainEqual(
      expect.objectContaining({ act: 'dismiss_look_alike', subject: expect.objectContaining(subject) }),
    )
  })

  test('not of other names, nor of one like a player’s', async () => {
    const [person, player] = [await signUp(server), await signUp(server)]
    await rename(player, 'Just a Player')
    for (const name of ['Just a Player', 'Lantern Works and Friends', '灯台工房']) {
      await rename(person, name)
      expect(await toldOf(person)).toBeUndefined()
    }
    expect(await toldOf(developer)).toBeUndefined()
  })

  test('on the page of reports, where they accept it', async () => {
    const person = await signUp(server)
    await rename(person, 'Lantern W0rks')
    const open = () => readPage(operator, '/operate/reports')
    const action = `/operate/look-alikes/${person.uid}/dismiss`
    expect(await open()).toContain(action)
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await operator.fetch(action, { ...form, redirect: 'manual' })).status).toBe(303)
    expect(await open()).not.toContain(action)
  })
})

test('a profile is cleared with a reason, the username stays', async () => {
  const person = await signUp(server)
  await rename(person, 'Rude Name')
  await person.json('PATCH', '/api/v1/private/me', {
    bio: 'Rude',
    links: [{ label: 'x', url: 'https://x.example' }],
  })
  for (const kind of ['picture', 'banner'])
    await send(person, `/api/v1/private/me/${kind}`, await drawPng(50, 40))
  const path = `accounts/${person.uid}/clear-profile`
  expect((await act(operator, path)).status).toBe(400)
  const answer = await act(operator, path, { reason: 'Rude.' })
  const username = await usernameOf(person)
  expect(await readData<OperatorAccount>(answer)).toMatchObject({ ...unnamed(username), has_profile: false })
  expect(await readData<Me>(await person.fetch('/api/v1/private/me'))).toMatchObject({
    ...unnamed(username),
    bio: '',
    links: [],
    banner: null,
  })
})
