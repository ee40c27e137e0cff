import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { insertGame } from '../../helpers/listings.ts'
import { waitForMail } from '../../helpers/mails.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { type LoggedServer, startLoggedServer } from '../../helpers/processes/logged-server.ts'
import { startTraceCollector, type TraceCollector } from '../../helpers/processes/trace-collector.ts'
import { release } from '../../helpers/releases.ts'
import { obtainToken } from '../../helpers/sign-in/oauth.ts'

const SECRET = 'Kq7-not_to_be_logged-9xZ'

let collector: TraceCollector
let server: LoggedServer
let person: Person
beforeAll(async () => {
  collector = startTraceCollector()
  server = await startLoggedServer({
    ROLE: 'all',
    TRUST_PROXY: '1',
    METRICS_PORT: '0',
    // Of the job threads, which print for themselves.
    LOG_LEVEL: 'error',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  person = await signUp(server)
})
afterAll(async () => {
  await server.stop()
  await collector[Symbol.asyncDispose]()
})

/** Whatever operators and their tools can read. */
async function everythingTold(): Promise<string> {
  const metrics = await (await fetch(server.metricsUrl)).text()
  return [...server.lines.map((line) => JSON.stringify(line)), ...collector.bodies, metrics].join('\n')
}

const routesLogged = () => server.lines.map(({ route }) => route)

describe('tokens in addresses are not logged', () => {
  test('of the link that confirms an address', async () => {
    const { link } = await waitForMail(server, person.email, 'Confirm your e-mail address')
    const token = new URL(link).searchParams.get('token') ?? ''
    expect(token.length).toBeGreaterThan(20)
    expect((await person.fetch(link.slice(server.url.length))).status).toBeLessThan(400)
    expect(await everythingTold()).not.toContain(token)
    expect(routesLogged()).toContain('/api/auth/*')
  })

  test('of the link that sets a new password', async () => {
    const asking = { email: person.email, redirectTo: '/sign-in' }
    await person.json('POST', '/api/auth/request-password-reset', asking)
    const { link } = await waitForMail(server, person.email, 'Set a new password')
    const token = /reset-password\/([^?]+)/.exec(link)?.[1] ?? ''
    expect(token.length).toBeGreaterThan(10)
    expect((await person.fetch(link.slice(server.url.length))).status).toBe(302)
    const newPassword = 'a brand new password'
    const reset = await person.json('POST', '/api/auth/reset-password', { token, newPassword })
    expect(reset.status).toBe(200)
    const told = await everythingTold()
    for (const secret of [token, newPassword, person.password]) expect(told).not.toContain(secret)
  })

  test('of the OAuth flow, and of the approval it may ask for', async () => {
    const maker = await signUp(server)
    const { access_token } = await obtainToken(server, maker, 'mcp:builds.read mcp:builds.write')
    const game = await insertGame(server, maker)
    const build = await release(server, game.uid, { channel: 'beta' })
    const asked = await server.fetch(`/api/v1/private/games/${game.uid}/channels/stable/promote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ build_id: build.uid }),
    })
    expect(asked.status).toBe(202)
    const { link } = await waitForMail(server, maker.email, 'Approve the release of a build')
    const token = link.split('/').at(-1) ?? ''
    expect(token.length).toBeGreaterThan(20)
    expect((await maker.fetch(`/approvals/${token}`)).status).toBe(200)
    const decided = await maker.json('POST', `/api/v1/private/approvals/${token}`, { decision: 'reject' })
    expect(decided.status).toBe(200)
    const told = await everythingTold()
    for (const secret of [token, access_token, maker.cookie.split('; ', 1)[0]?.split('=')[1] ?? '']) {
      expect(secret.length).toBeGreaterThan(20)
      expect(told).not.toContain(secret)
    }
    expect(routesLogged()).toContain('/approvals/:token')
    expect(routesLogged()).toContain('/api/v1/private/approvals/:token')
  })

  test.each([
    ['GET', `/api/auth/reset-password/${SECRET}?callbackURL=${SECRET}`],
    ['GET', `/api/auth/callback/${SECRET}?code=${SECRET}&state=${SECRET}`],
    ['GET', `/api/auth/${SECRET}`],
    ['GET', `/objects/builds/${SECRET}.zip?expires=1&signature=${SECRET}`],
    ['GET', `/approvals/${SECRET}`],
    ['GET', `/approvals/${SECRET}/`],
    ['HEAD', `/approvals/${SECRET}`],
    ['OPTIONS', `/approvals/${SECRET}`],
    ['DELETE', `/approvals/${SECRET}`],
    ['POST', `/api/v1/private/approvals/${SECRET}`],
    ['GET', `/${SECRET}`],
    ['GET', `/nowhere/${SECRET}?token=${SECRET}`],
    ['GET', `//${SECRET}`],
    ['GET', `/%zz/${SECRET}`],
    ['GET', `/api/v1/public/search?q=${SECRET}`],
    ['GET', `/%00${SECRET}`],
  ])('%s %s', async (method, path) => {
    const before = server.lines.length
    const answer = await fetch(server.url + path, { method, redirect: 'manual' })
    await answer.arrayBuffer()
    expect(server.lines.slice(before)).not.toEqual([])
    expect(await everythingTold()).not.toContain(SECRET)
  })

  test('when the request fails', async () => {
    const failing = await startLoggedServer({})
    await failing.dropDatabase()
    for (const path of [
      `/approvals/${SECRET}`,
      `/reset/${SECRET}`,
      `/api/auth/reset-password/${SECRET}`,
      `/objects/${SECRET}`,
    ]) {
      await fetch(failing.url + path)
    }
    const failed = failing.lines.filter(({ message }) => message === 'A request failed')
    expect(failed.map(({ route }) => route)).toContain('/approvals/:token')
    expect(JSON.stringify(failing.lines)).not.toContain(SECRET)
    await failing.stop()
  })
})
