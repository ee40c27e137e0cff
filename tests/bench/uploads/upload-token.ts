import { join } from 'node:path'

import { openDatabase } from '../../../src/db/client.ts'
import { publishers } from '../../../src/db/schema/publishers.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import { type Issuer, jobToken, startIssuer, TOKEN_PATH } from '../../helpers/sign-in/issuer.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge } from '../report/line.ts'
import type { Scenario } from '../scenarios/scenario.ts'

/** The limit is 30 exchanges a minute per game, and each token works once. */
const GAMES = 40
const TOKENS_PER_GAME = 25
const AT_ONCE = 4
const SERVE = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']

export const pipelineToken: Scenario = {
  name: 'pipeline-token',
  about: `pipelines of ${GAMES} games exchange ${GAMES * TOKENS_PER_GAME} tokens for deploy keys`,
  async run(environment) {
    await using servers = new AsyncDisposableStack()
    const issuer = await startIssuer()
    servers.defer(() => issuer.stop())
    const settings = await environment.settings({ TRUST_PROXY: '1', TRUSTED_ISSUERS: issuer.url })
    const games = await insertGames(settings, issuer)
    const ours = await startServerProcess({ command: SERVE, path: '/health', env: settings })
    servers.defer(() => ours.stop())
    const bodies = await Promise.all(
      games.flatMap((game) =>
        Array.from({ length: TOKENS_PER_GAME }, async () =>
          JSON.stringify({ game, token: await jobToken(issuer, ours) }),
        ),
      ),
    )
    const [first = '', ...rest] = bodies
    await exchange(ours.url, first, 0)
    const before = await readCpuSeconds(ours.pid)
    let next = 0
    const work = async () => {
      for (let at = next++; at < rest.length; at = next++) await exchange(ours.url, rest[at] ?? '', at)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const cpuMs = ((await readCpuSeconds(ours.pid)) - before) * 1000
    return [
      judge({
        scenario: 'pipeline-token',
        measure: 'CPU time per exchange',
        unit: 'ms',
        subject: cpuMs / rest.length,
        baseline: null,
        target: { of: 'subject', must: 'stay below', value: 20 },
        details: { exchanges: rest.length },
      }),
    ]
  },
}

async function insertGames({ DATABASE_URL = '' }: Record<string, string>, issuer: Issuer): Promise<string[]> {
  const database = openDatabase(DATABASE_URL, { maxConnections: 1 })
  try {
    const games: string[] = []
    for (let nth = 0; nth < GAMES; nth += 1) games.push(await insertBareGame(database.db))
    await database.db.insert(publishers).values(
      games.map((gameUid) => ({
        gameUid,
        issuer: issuer.url,
        repository: 'moss/garden',
        provider: 'github' as const,
      })),
    )
    return games
  } finally {
    await database.dispose()
  }
}

async function exchange(url: string, body: string, nth: number): Promise<void> {
  const address = `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  const answer = await fetch(url + TOKEN_PATH, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`The exchange answered ${answer.status}: ${await answer.text()}`)
  await answer.body?.cancel()
}
