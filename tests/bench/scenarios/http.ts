import { join } from 'node:path'

import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { PLAYER_KEY_PREFIX } from '../../../src/domain/actor.ts'
import { insertPlayerKey as insertKeyRow } from '../../../src/features/accounts/queries.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../src/lib/ids.ts'
import { compare, type Comparison, type Contender } from '../compare.ts'
import { type Environment, ROOT, type ServerOptions, SERVERS, startServerProcess } from '../environment.ts'
import type { LoadRequest } from '../load/load.ts'
import { judge, type Line } from '../report/line.ts'
import { SAMPLE } from '../servers/score.ts'
import type { Scenario } from './scenario.ts'

/** The limit is 1,200 requests a minute per address: more than any measurement here can send. */
const ADDRESSES = 1024
const JSON_TYPE = { 'content-type': 'application/json' }

interface Duel {
  subject: ServerOptions
  baseline: ServerOptions
  ask(subjectUrl: string, baselineUrl: string): Promise<{ subject: LoadRequest; baseline: LoadRequest }>
}

export const health: Scenario = {
  name: 'health',
  about: '/health against a bare Bun.serve with the same answer',
  async run(environment) {
    const answer = await readHealthAnswer(environment)
    const comparison = await duel(environment, {
      subject: await playshelf(environment),
      baseline: { command: bunEntry('bare-bun.ts'), path: '/', env: { ANSWER: answer } },
      ask: async (subject, baseline) => ({
        subject: { url: `${subject}/health`, status: 200 },
        baseline: { url: `${baseline}/`, status: 200 },
      }),
    })
    return [toLine('health', comparison, 0.8)]
  },
}

export const jsonRoute: Scenario = {
  name: 'json-route',
  about: 'POST of JSON through player key, limit, validation and envelope against a bare Elysia route',
  async run(environment) {
    const authorization = `Bearer ${await insertPlayerKey(await environment.databaseUrl())}`
    const post = { method: 'POST', body: JSON.stringify(SAMPLE), status: 200 } as const
    const comparison = await duel(environment, {
      ...(await routeServers(environment)),
      ask: async (subject, baseline) => ({
        subject: {
          ...post,
          url: `${subject}/api/v1/public/scores`,
          headers: { ...JSON_TYPE, authorization },
          addresses: ADDRESSES,
        },
        baseline: { ...post, url: `${baseline}/scores`, headers: JSON_TYPE },
      }),
    })
    return [toLine('json-route', comparison, 0.25)]
  },
}

export const notModified: Scenario = {
  name: 'not-modified',
  about:
    'GET with a fitting If-None-Match, through key and limit, against a bare Elysia route that answers in full',
  async run(environment) {
    const authorization = `Bearer ${await insertPlayerKey(await environment.databaseUrl())}`
    const comparison = await duel(environment, {
      ...(await routeServers(environment)),
      ask: async (subject, baseline) => {
        const url = `${subject}/api/v1/public/scores`
        const etag = (await fetch(url, { headers: { authorization } })).headers.get('etag')
        if (etag === null) throw new Error('The answer has no ETag')
        const headers = { authorization, 'if-none-match': etag }
        return {
          subject: { url, headers, addresses: ADDRESSES, status: 304 },
          baseline: { url: `${baseline}/scores`, status: 200 },
        }
      },
    })
    return [toLine('not-modified', comparison, 0.25)]
  },
}

async function duel({ pace }: Environment, { subject, baseline, ask }: Duel): Promise<Comparison> {
  await using servers = new AsyncDisposableStack()
  const start = async (options: ServerOptions): Promise<Contender['server']> => {
    const server = await startServerProcess(options)
    servers.defer(() => server.stop())
    return server
  }
  const [ours, bare] = [await start(subject), await start(baseline)]
  const requests = await ask(ours.url, bare.url)
  return await compare(
    { server: ours, request: requests.subject },
    { server: bare, request: requests.baseline },
    pace,
  )
}

async function playshelf(environment: Environment): Promise<ServerOptions> {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  return { command, path: '/health', env: await environment.settings() }
}

async function routeServers(environment: Environment): Promise<Pick<Duel, 'subject' | 'baseline'>> {
  const env = await environment.settings({ TRUST_PROXY: '1' })
  return {
    subject: { command: bunEntry('json-route.ts'), path: '/health', env },
    baseline: { command: bunEntry('bare-elysia.ts'), path: '/scores' },
  }
}

async function readHealthAnswer(environment: Environment): Promise<string> {
  const server = await startServerProcess(await playshelf(environment))
  try {
    return await (await fetch(`${server.url}/health`)).text()
  } finally {
    await server.stop()
  }
}

function bunEntry(file: string): string[] {
  return [process.execPath, join(SERVERS, file)]
}

function toLine(scenario: string, comparison: Comparison, least: number): Line {
  return judge({
    scenario,
    measure: 'requests per CPU second',
    unit: 'req',
    subject: comparison.subject.requestsPerCpuSecond,
    baseline: comparison.baseline.requestsPerCpuSecond,
    ratio: comparison.ratio,
    target: { of: 'ratio', must: 'reach', value: least },
    details: comparison,
  })
}

/** Inserts a new player into the database and returns the key. */
async function insertPlayerKey(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const id = createUid()
    const key = PLAYER_KEY_PREFIX + createSecret()
    await database.db
      .insert(users)
      .values({ id, name: 'Bench', email: `${id}@bench.example`, username: id.slice(-12) })
    await insertKeyRow(database.db, {
      userUid: id,
      label: 'bench',
      keyHash: sha256Hex(key),
      last4: key.slice(-4),
      scopes: ['player:read'],
    })
    return key
  } finally {
    await database.dispose()
  }
}
