import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { bugDeliveries } from '../../../../src/db/schema/bugs.ts'
import { listOperatorAddresses } from '../../../../src/features/accounts/operators.ts'
import type { NewInvitations } from '../../../../src/features/operate/accounts/model.ts'
import { createBugKey, fileTicket, setReporter } from '../../../helpers/bugs.ts'
import { readData } from '../../../helpers/json.ts'
import { insertAdmin, insertGame, insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { readMails } from '../../../helpers/mails.ts'
import { bearerOf, callTool } from '../../../helpers/mcp.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { release } from '../../../helpers/releases.ts'
import { sendPassword, withCookie } from '../../../helpers/sign-in/factors.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'
import { startReceiver } from '../../../helpers/webhook-receiver.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const operator = usePerson(server, signUpOperator)

const suspend = (person: Person) => act(operator, `accounts/${person.uid}/suspend`, { reason: 'A test.' })
const restore = (person: Person) => act(operator, `accounts/${person.uid}/restore`)

/** As `playshelf operator remove` does. */
async function removeOperator({ email }: Person): Promise<void> {
  const { setOperator } = await import('../../../../src/features/operate/accounts/service.ts')
  await setOperator(server.deps, email, false)
}

describe('what a program of somebody else asked the owner for', () => {
  let count = 0

  /** A program of an admin asks for a build to become stable. Returns how the owner answers it. */
  async function ask() {
    const [owner, admin] = [await signUp(server), await signUp(server)]
    for (const person of [owner, admin]) await verifyEmail(server, person)
    const game = await insertGame(server, owner, { name: `Patient Pelican ${(count += 1)};` })
    await insertAdmin(server, game.uid, admin, 'accepted')
    const build = await release(server, game.uid, { version: '2.0.0', channel: 'beta' })
    const program = await obtainToken(server, admin, 'mcp:builds.write')
    const input = { game_id: game.uid, build_id: build.uid, channel: 'stable' }
    await callTool(server, bearerOf(program.access_token), 'promote_build', input)
    const mail = await waitFor('the mail', async () =>
      (await readMails(server)).find(({ text }) => text.includes(game.name)),
    )
    const token = mail.link.split('/').at(-1) ?? ''
    const approve = async () =>
      (await owner.json('POST', `/api/v1/private/approvals/${token}`, { decision: 'approve' })).status
    const isShown = async () => {
      const page = await owner.fetch(`/studio/${game.vanityName}/channels`, {
        headers: { accept: 'text/html' },
      })
      return (await page.text()).includes('/channels/approvals/')
    }
    return { owner, admin, game, program, approve, isShown }
  }
  type Asked = Awaited<ReturnType<typeof ask>>

  const ENDS: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
    'the person is suspended': ({ admin }) => suspend(admin),
    'the person is removed from the team': ({ owner, admin, game }) =>
      owner.json('DELETE', `/api/v1/private/games/${game.uid}/admins/${admin.uid}`),
    'the person leaves the team': ({ admin, game }) =>
      admin.json('DELETE', `/api/v1/private/games/${game.uid}/admins/${admin.uid}`),
    'the account is deleted': ({ admin }) =>
      admin.json('DELETE', '/api/v1/private/me', { password: admin.password }),
    'the program is disconnected': ({ admin, program }) =>
      admin.json('DELETE', `/api/v1/private/me/programs/${program.clientId}`),
    'the password is changed': ({ admin }) =>
      admin.json('POST', '/api/auth/change-password', {
        currentPassword: admin.password,
        newPassword: 'another long password',
      }),
  }

  test.each(Object.keys(ENDS))('ends when %s', async (event) => {
    const asked = await ask()
    expect(await asked.isShown()).toBe(true)
    await ENDS[event]?.(asked)
    expect(await asked.isShown()).toBe(false)
    expect(await asked.approve()).toBe(404)
  })

  test('is approved while nothing of that happens', async () => {
    expect(await (await ask()).approve()).toBe(200)
  })
})

describe('what an operator gave out', () => {
  const register = async (code: string) => {
    const answer = await server.fetch('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': randomAddress() },
      body: JSON.stringify({
        name: 'Guest',
        email: `guest-${crypto.randomUUID()}@example.org`,
        password: 'a long enough password',
        invite: code,
      }),
    })
    return answer.status
  }
  const ENDS: Readonly<Record<string, (colleague: Person) => Promise<unknown>>> = {
    'is suspended': (colleague) => suspend(colleague),
    'is no operator any more': removeOperator,
    'deletes the account': (colleague) =>
      colleague.json('DELETE', '/api/v1/private/me', { password: colleague.password }),
  }

  test.each(Object.keys(ENDS))('invitations end when their operator %s', async (event) => {
    const colleague = await signUpOperator(server)
    const made = await act(colleague, 'invites', { count: 1, uses: 5 })
    const [code = ''] = (await readData<NewInvitations>(made)).codes
    await operator.json('PATCH', '/api/v1/operator/settings', { sign_up: 'invite' })
    try {
      expect(await register(code)).toBe(200)
      await ENDS[event]?.(colleague)
      expect(await register(code)).toBe(403)
    } finally {
      await operator.json('PATCH', '/api/v1/operator/settings', { sign_up: 'open' })
    }
  })

  test('mails to all operators do not reach one who is suspended or was removed', async () => {
    const [suspended, removed, named] = await Promise.all([1, 2, 3].map(() => signUpOperator(server)))
    if (!suspended || !removed || !named) throw new Error('Nobody signed up')
    await server.deps.db.update(users).set({ operator: false }).where(eq(users.id, named.uid))
    const config = { operators: [named.email] }
    const addresses = () => listOperatorAddresses(config, server.deps.db)
    expect(await addresses()).toEqual(expect.arrayContaining([suspended.email, removed.email, named.email]))
    await suspend(suspended)
    await suspend(named)
    await removeOperator(removed)
    const left = await addresses()
    for (const { email } of [suspended, removed, named]) expect(left).not.toContain(email)
    expect(left).toContain(operator.email)
  })
})

test('webhooks of a suspended owner are not sent; the owner can send them once it ended', async () => {
  const receiver = startReceiver()
  try {
    const owner = await signUp(server)
    await verifyEmail(server, owner)
    const game = await insertPublicGame(server, owner)
    await setReporter(owner, game.uid, { enabled: true, webhook_urls: [receiver.url()] })
    const key = await createBugKey(await signUp(server))
    await suspend(owner)
    await fileTicket(server, key, game.uid)
    const isOfGame = eq(bugDeliveries.gameUid, game.uid)
    const delivery = await waitFor('the end of the delivery', async () => {
      const [row] = await server.deps.db.select().from(bugDeliveries).where(isOfGame)
      return row?.state === 'failed' && row
    })
    expect(receiver.received).toEqual([])
    await restore(owner)
    const { cookie } = await sendPassword(server, owner)
    const path = `/api/v1/private/games/${game.uid}/bug-reporter/deliveries/${delivery.uid}/redeliver`
    expect((await withCookie(server, owner, cookie).json('POST', path)).status).toBe(200)
    await waitFor('the webhook', async () => receiver.received.length === 1)
  } finally {
    await receiver.stop()
  }
})
