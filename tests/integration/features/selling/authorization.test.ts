import { beforeAll, describe, expect, test } from 'bun:test'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { issueDeployKey } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  checkOut,
  enableDeveloper,
  insertForSale,
  makeKeys,
  signUpBuyer,
  signUpSeller,
  useQuietShop,
} from '../../../helpers/selling/selling.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'

// The private routes are in the matrix of all callers: tests/integration/http/authorization.test.ts.

const PEOPLE = ['buyer', 'stranger', 'invited admin', 'admin', 'owner', 'operator'] as const
const EVERYONE = PEOPLE
const TEAM = ['admin', 'owner']

/** Every page of selling that is read, and whose it is. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/orders': EVERYONE,
  '/orders/:uid': ['buyer'],
  '/redeem': EVERYONE,
  '/studio/payouts': EVERYONE,
  '/studio/sales': EVERYONE,
  '/studio/sales.csv': EVERYONE,
  '/studio/:name/sales': TEAM,
  '/studio/:name/sales.csv': TEAM,
  '/studio/:name/keys': TEAM,
  '/studio/:name/keys/:batch/redeemed.csv': TEAM,
  '/operate/sales': ['operator'],
  '/operate/sales.csv': ['operator'],
}

const shop = useQuietShop()
let people: Record<(typeof PEOPLE)[number], Person>
/** Credentials that are no session of the website. */
let programs: Record<string, Record<string, string>>
let params: Record<string, string>
beforeAll(async () => {
  const { server } = shop
  const owner = await signUpSeller(shop)
  const [buyer, stranger, invited, admin] = await Promise.all([1, 2, 3, 4].map(() => signUpBuyer(shop)))
  if (!buyer || !stranger || !invited || !admin) throw new Error('Nobody signed up')
  const operator = await signUpOperator(server)
  people = { buyer, stranger, 'invited admin': invited, admin, owner, operator }
  const game = await insertForSale(shop, owner)
  await insertAdmin(server, game.uid, invited, 'invited')
  await insertAdmin(server, game.uid, admin, 'accepted')
  const { order_uid } = await checkOut(buyer, game.uid)
  const { uid: batch } = await makeKeys(owner, game.uid)
  params = { uid: order_uid, name: game.vanityName, batch }
  await enableDeveloper(server, owner)
  const key = await owner.json('POST', '/api/v1/private/player-keys', { label: 'x' })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  programs = {
    guest: {},
    'player key': bearer((await readData<{ key: string }>(key)).key),
    agent: bearer((await obtainToken(server, owner, AGENT_SCOPES.join(' '))).access_token),
    'deploy key': { ...(await issueDeployKey(server, game.uid)) },
  }
})

const pathOf = (page: string) => page.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name)

describe('pages', () => {
  test.each(Object.keys(PAGES))('%s is for those whose it is', async (page) => {
    const seen: string[] = []
    for (const who of PEOPLE) {
      const { status } = await people[who].fetch(pathOf(page))
      if (status === 200) seen.push(who)
      else expect([who, status]).toEqual([who, 404])
    }
    expect(seen).toEqual(PEOPLE.filter((who) => PAGES[page]?.includes(who)))
  })

  test.each(Object.keys(PAGES))('%s is for no program, and guests sign in first', async (page) => {
    for (const [who, headers] of Object.entries(programs)) {
      const { status } = await shop.server.fetch(pathOf(page), { headers })
      expect([who, page.startsWith('/operate') ? [404] : [303, 401]]).toEqual([
        who,
        expect.arrayContaining([status]),
      ])
    }
  })
})

test('the webhook looks at the signature alone, whoever sends the event', async () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed' })
  const cookies = { owner: { cookie: people.owner.cookie }, operator: { cookie: people.operator.cookie } }
  for (const [who, headers] of Object.entries({ ...programs, ...cookies })) {
    const answer = await shop.server.fetch('/api/v1/stripe/webhook', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    expect({ who, ...(await readFailure(answer)) }).toMatchObject({ who, status: 400, code: 4000 })
  }
})

test('money is given back by the buyer, the owner and operators; for all others the order is missing', async () => {
  const refund = async (who: (typeof PEOPLE)[number], reason?: string) => {
    const path = `/api/v1/private/orders/${params.uid}/refund`
    return (await readFailure(await people[who].json('POST', path, reason ? { reason } : {}))).code
  }
  // It is not paid yet, which only they learn.
  expect(await refund('buyer')).toBe(4118)
  for (const who of ['owner', 'operator'] as const)
    expect([who, await refund(who, 'A bug')]).toEqual([who, 4118])
  expect(await refund('stranger')).toBe(4040)
  for (const who of ['stranger', 'invited admin', 'admin'] as const)
    expect([who, await refund(who, 'A bug')]).toEqual([who, 4040])
})
