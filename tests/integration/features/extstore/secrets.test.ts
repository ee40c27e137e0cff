import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Settings } from '../../../../src/features/extstore/link/model.ts'
import { linkApp } from '../../../../src/features/extstore/link/service.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import { DEMO_APPS } from '../../../helpers/ext-store-double/apps/demo-apps.ts'
import { startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { askImport, askPreview, useImports, WEB_API_KEY } from '../../../helpers/extstore/imports.ts'
import { readData } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTraceCollector } from '../../../helpers/processes/trace-collector.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { asSignInGame, newExtstoreId } from '../../../helpers/site/sign-in.ts'

describe('sign-in', () => {
  const KEYS = ['0F'.repeat(16), '1E'.repeat(16)] as const
  const APP_ID = 4242
  const FAULTS = ['html401', 'html403', '500', '429', 'not_json', 'null', 'half', 'reset'] as const

  /** Secrets by name, each with the texts that must be nowhere. */
  type Secrets = Map<string, string>

  test('no Web API key, auth key, ticket or token in a log line, trace, column, or an answer not meant for it', async () => {
    await using collector = startTraceCollector()
    const double = await startExtStoreDouble()
    const lines: string[] = []
    const log = createLogger({ level: 'debug', pretty: false, write: (line) => void lines.push(line) })
    const server = await startTestServer(
      {
        TRUST_PROXY: '1',
        LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...double.env,
      },
      { log },
    )
    const answers: string[] = []
    const secrets = await liveThrough(watch(server, answers), double)
    const columns = await dumpTexts(server)
    await server.stop()
    await double.stop()

    // What is no secret is found, so the search works; and the run did meet crashes.
    expect(lines.some((line) => line.includes('The auth key of a game was shown'))).toBe(true)
    expect(collector.bodies.some((body) => body.includes('extstore_sessions'))).toBe(true)
    expect(columns.some((text) => text.startsWith('7656119'))).toBe(true)
    expect(answers.some((answer) => answer.includes('"code":5000'))).toBe(true)
    const places = { log: lines, trace: collector.bodies, column: columns, answer: answers }
    for (const [place, texts] of Object.entries(places)) {
      const told = [...secrets].filter(([, secret]) => texts.some((text) => text.includes(secret)))
      expect([place, told.map(([name]) => name)]).toEqual([place, []])
    }
  })

  /** Every answer is kept but those whose purpose is to hand out a secret. */
  function watch(server: TestServer, answers: string[]): TestServer {
    const handsOut = /\/(auth|refresh|auth-key)$/
    return {
      ...server,
      async fetch(path, init) {
        const answer = await server.fetch(path, init)
        const isMeant = answer.ok && handsOut.test(path) && !path.startsWith('/api/auth')
        if (!isMeant) answers.push(await answer.clone().text())
        return answer
      },
    }
  }

  async function liveThrough(
    server: TestServer,
    double: Awaited<ReturnType<typeof startExtStoreDouble>>,
  ): Promise<Secrets> {
    const secrets: Secrets = new Map(KEYS.map((key, nth) => [`Web API key ${nth}`, key]))
    const keep = (name: string, secret: string) => {
      secrets.set(`${name} ${secrets.size}`, secret)
      return secret
    }
    const owner = await signUp(server)
    const { uid, vanityName } = await insertGame(server, owner)
    const steam = `/api/v1/private/games/${uid}/steam`
    await server.deps.db.transaction((tx) => linkApp(tx, uid, APP_ID))
    for (const key of KEYS) double.addKey(key, [APP_ID])

    await owner.json('POST', `${steam}/enable`, { web_api_key: 'not a key' })
    double.fail('appList', '500', 1)
    await owner.json('POST', `${steam}/enable`, { web_api_key: KEYS[0] })
    await owner.json('POST', `${steam}/enable`, { web_api_key: KEYS[0] })
    await owner.json('PUT', `${steam}/web-api-key`, { web_api_key: KEYS[1] })

    for (const round of ['first', 'second']) {
      const settings = await readData<Settings>(await owner.fetch(steam))
      const shown = await readData<{ auth_key: string }>(await owner.fetch(`${steam}/auth-key`))
      const authKey = keep(`auth key (${round})`, shown.auth_key)
      const link = { gameUid: uid, vanityName, appId: APP_ID, webApiKey: KEYS[1], authKey }
      const game = asSignInGame(server, double, { ...link, ticketKey: settings.ticket_key ?? '' })
      const ticketOf = (extstoreId: string) => keep('ticket', game.ticket({ extstoreId }))

      const player = newExtstoreId()
      const { token } = await readData<{ token: string }>(await game.auth(ticketOf(player)))
      const fresh = await readData<{ token: string }>(await game.refresh(keep('token', token)))
      await game.refresh(token)
      await game.verify(keep('token', fresh.token), { recheck_ownership: true })
      await game.verify(`${fresh.token}x`)
      await game.ownership(player)
      for (const fault of FAULTS) {
        double.fail('authenticate', fault)
        await game.auth(ticketOf(player))
        double.heal()
        double.fail('ownership', fault)
        await game.auth(ticketOf(player))
        await game.refresh(fresh.token)
        await game.verify(fresh.token, { recheck_ownership: true })
        await game.ownership(player)
        double.heal()
      }
      await game.revoke({ extstore_id: player })
      await game.verify(fresh.token)
      await breakDatabase(server, async () => {
        await game.auth(ticketOf(player))
        await game.verify(fresh.token)
        await game.revoke({ jti: crypto.randomUUID() })
      })
      await owner.json('POST', `${steam}/auth-key`)
      await owner.json('POST', `${steam}/ticket-key`)
    }
    await owner.json('POST', `${steam}/disable`)
    await owner.json('POST', `${steam}/enable`, { web_api_key: KEYS[0] })
    return secrets
  }

  /** Statements about sessions fail meanwhile, as after a botched migration: answers are 500. */
  async function breakDatabase(server: TestServer, work: () => Promise<void>): Promise<void> {
    await server.deps.db.execute(sql`alter table extstore_sessions rename to extstore_sessions_away`)
    await work()
    await server.deps.db.execute(sql`alter table extstore_sessions_away rename to extstore_sessions`)
  }

  /** Every value of every column that can hold a text, in every table there is. */
  async function dumpTexts(server: TestServer): Promise<string[]> {
    const { db } = server.deps
    const columns = await db.execute<{ schema: string; table: string; column: string }>(sql`
    select table_schema as schema, table_name as "table", column_name as "column"
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
      and data_type in ('text', 'character varying', 'json', 'jsonb', 'ARRAY')`)
    const dumps = await Promise.all(
      columns.map(async ({ schema, table, column }) => {
        const name = sql.identifier(column)
        const from = sql`${sql.identifier(schema)}.${sql.identifier(table)}`
        const rows = await db.execute<{ value: string }>(
          sql`select ${name}::text as value from ${from} where ${name} is not null`,
        )
        return rows.map(({ value }) => value)
      }),
    )
    return dumps.flat()
  }
})

describe('imports', () => {
  const lines: string[] = []
  const world = useImports(
    createLogger({ level: 'debug', pretty: false, write: (line) => void lines.push(line) }),
  )
  afterEach(() => mock.restore())

  test('the key is in no log line and in no answer, whatever happens', async () => {
    const person = await world.signUpDeveloper()
    const { appId: app_id } = DEMO_APPS.paid
    const answers: string[] = []
    const keep = async (answer: Response) => void answers.push(`${answer.status} ${await answer.text()}`)

    await keep(await askPreview(person, { app_id }))
    for (const [point, fault] of [
      ['appList', 'html403'],
      ['appList', '500'],
      ['appDetails', 'not_json'],
      ['appDetails', 'half'],
      ['image', 'reset'],
    ] as const) {
      world.double.fail(point, fault)
      await keep(await askPreview(person, { app_id }))
      world.double.heal()
    }
    await keep(await askImport(person, { app_id: 999_999 }))
    await keep(await askImport(person, { app_id, groups: [WEB_API_KEY] }))
    spyOn(world.server.deps.keyring, 'encrypt').mockImplementation((text) => {
      throw new Error(`Could not encrypt ${text.length} characters`)
    })
    await keep(await askImport(person, { app_id, enable_auth: true }))
    mock.restore()
    await keep(await askImport(person, { app_id, enable_auth: true }))

    expect(answers.map((answer) => Number(answer.slice(0, 3)))).toEqual([
      200, 403, 502, 502, 502, 200, 403, 400, 500, 201,
    ])
    expect(answers.filter((answer) => answer.includes(WEB_API_KEY))).toEqual([])
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.includes(WEB_API_KEY))).toEqual([])
  })
})
