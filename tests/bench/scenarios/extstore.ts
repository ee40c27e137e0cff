import { join } from 'node:path'

import { startExtStoreDouble } from '../../helpers/ext-store-double/double.ts'
import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import { compare } from '../compare.ts'
import { ROOT, SERVERS } from '../environment.ts'
import { insertGames, insertSessions, signFor } from '../extstore-data.ts'
import { sendLoad } from '../load/load.ts'
import { judge } from '../report/line.ts'
import { startServerProcess } from '../server-process.ts'
import type { Scenario } from './scenario.ts'

const SESSIONS = 1_000_000
/** The limit is 1,200 requests a minute per game. */
const GAMES = 300
const ADDRESSES = 4096
const ISSUER = 'https://bench.example'
const JSON_BODY = { 'content-type': 'application/json' }
const SERVE = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']

export const verifyToken: Scenario = {
  name: 'verify-token',
  about: `game servers ask about ${GAMES} tokens again and again, among ${SESSIONS.toLocaleString('en')} sessions, against a bare Elysia POST with the same answer`,
  async run(environment) {
    const settings = await environment.settings({ ISSUER })
    const links = await insertGames(settings, GAMES)
    const sessions = await insertSessions(settings, links, SESSIONS)
    await using servers = new AsyncDisposableStack()
    const ours = await startServerProcess({ command: SERVE, path: '/health', env: settings })
    servers.defer(() => ours.stop())
    const variants = await Promise.all(
      links.map(async (link, nth) => ({
        path: `/api/v1/extstore/${link.gameUid}/server/verify`,
        headers: { ...JSON_BODY, authorization: `Bearer ${link.authKey}` },
        body: JSON.stringify({ token: await signFor(link, sessions[nth] ?? '', ISSUER) }),
      })),
    )
    const [first] = variants
    if (!first) throw new Error('There is nothing to verify')
    const { headers, body } = first
    // Warm-up: the first request of a game is not measured.
    let answer = ''
    for (const { path, ...request } of variants) {
      answer = await (await fetch(ours.url + path, { method: 'POST', ...request })).text()
    }
    const bare = await startServerProcess({
      command: [process.execPath, join(SERVERS, 'bare-answer.ts')],
      path: '/',
      env: { ANSWER: answer },
    })
    servers.defer(() => bare.stop())
    const comparison = await compare(
      { server: ours, request: { url: ours.url, method: 'POST', variants, status: 200 } },
      { server: bare, request: { url: `${bare.url}/`, method: 'POST', headers, body, status: 200 } },
      environment.pace,
    )
    return [
      judge({
        scenario: 'verify-token',
        measure: 'requests per CPU second',
        unit: 'req',
        subject: comparison.subject.requestsPerCpuSecond,
        baseline: comparison.baseline.requestsPerCpuSecond,
        ratio: comparison.ratio,
        target: { of: 'ratio', must: 'reach', value: 0.2 },
        details: comparison,
      }),
    ]
  },
}

export const signIn: Scenario = {
  name: 'sign-in',
  about: 'players exchange tickets for tokens, with the store’s double answering at once',
  async run(environment) {
    await using servers = new AsyncDisposableStack()
    const double = await startExtStoreDouble()
    servers.defer(() => double.stop())
    const settings = await environment.settings({ TRUST_PROXY: '1', ...double.env })
    const links = await insertGames(settings, GAMES)
    const variants = links.map(({ gameUid, appId, webApiKey, ticketKey }, nth) => {
      double.addKey(webApiKey, [appId])
      const extstoreId = String(76_561_198_000_000_000n + BigInt(nth))
      const ticket = double.issueTicket({ appId, extstoreId, identity: ticketKey })
      const path = `/api/v1/extstore/${gameUid}/auth`
      return { path, headers: JSON_BODY, body: JSON.stringify({ ticket }) }
    })
    const ours = await startServerProcess({ command: SERVE, path: '/health', env: settings })
    servers.defer(() => ours.stop())
    const request = { url: ours.url, method: 'POST', variants, addresses: ADDRESSES, status: 200 } as const
    const { warmUpSeconds, seconds } = environment.pace
    await sendLoad(request, warmUpSeconds)
    const before = await readCpuSeconds(ours.pid)
    const result = await sendLoad(request, seconds)
    const cpuMs = ((await readCpuSeconds(ours.pid)) - before) * 1000
    return [
      judge({
        scenario: 'sign-in',
        measure: 'CPU time per sign-in',
        unit: 'ms',
        subject: cpuMs / result.requests,
        baseline: null,
        target: { of: 'subject', must: 'stay below', value: 3 },
        details: result,
      }),
    ]
  },
}
