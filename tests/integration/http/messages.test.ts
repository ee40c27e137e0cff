import { beforeAll, describe, expect, test } from 'bun:test'

import { Kind, type TSchema } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'
import { t } from 'elysia'

import { games } from '../../../src/db/schema/games/games.ts'
import { nameField } from '../../../src/errors.ts'
import { TOOLS } from '../../../src/features/agents/protocol.ts'
import { PressKit } from '../../../src/features/listings/press/model.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { CASES, type Params } from '../../helpers/authorization/authorization-cases.ts'
import { OPERATOR_CASES } from '../../helpers/authorization/authorization-operator-cases.ts'
import { createBugKey, setReporter } from '../../helpers/bugs.ts'
import { insertBuild, issueDeployKey } from '../../helpers/builds.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { drawPng } from '../../helpers/files/pictures.ts'
import { listWrongValues } from '../../helpers/hostile/wrong-values.ts'
import { makeCrash, makeEvent } from '../../helpers/ingest.ts'
import { readFailure } from '../../helpers/json.ts'
import { type GameRow, insertGame, insertLicense, setPlayMinutes } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { createSaveKey } from '../../helpers/saves.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })
/** Owns every listing, and is an operator. */
let owner: Person
let player: Person
let bugKey: string
let saveKey: string

beforeAll(async () => {
  // Every request is another fault; the limits have tests of their own.
  Object.assign(server.deps.rates, { add: () => ({ count: 1, resetMs: 1000 }) })
  owner = await signUpOperator(server)
  player = await signUp(server)
  bugKey = await createBugKey(player)
  saveKey = await createSaveKey(owner)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
})

interface Route {
  name: string
  body: TSchema | undefined
  query: TSchema | undefined
}

function listRoutes(): Route[] {
  return server.app.routes
    .filter(({ path }) => path.startsWith('/api/v1/') || path.startsWith('/asset-library/'))
    .map(({ method, path, hooks }) => ({ name: `${method} ${path}`, body: hooks.body, query: hooks.query }))
}

/** Words of the libraries, and faults without an expectation. */
const UNWANTED =
  /\bExpected\b|\bunion\b|UnionEnum|undefined|NaN|TypeBox|schema|required property|with \.\.\.|\[object|null$|^The (?:body|query|form) is not valid\.$/i
/** What a message may say about a field, beside what is wrong. */
const ALLOWED = /\bmust\b|; there are |; it must|leave it out|\bsend\b/i

interface Sent {
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

async function send({ url, ...init }: Sent): Promise<Response> {
  return await server.fetch(url, init)
}

interface Faults {
  issues?: { path: string; message: string }[]
}

/** Returns what is wrong with the messages of an answer about the field at `path`. */
async function judge(answer: Response, path: string): Promise<string[]> {
  const { status, message, data } = await readFailure<Faults | undefined>(answer)
  if (![400, 413, 422].includes(status)) return [`answered ${status}: ${message}`]
  const issues = data?.issues ?? []
  const messages = issues.length === 0 ? [message] : issues.map((issue) => issue.message)
  const field = nameField(path.replace(/^The body$/, ''))
  return [
    ...(messages.some((text) => text.includes(field))
      ? []
      : [`does not name ${field}: ${messages.join(' ')}`]),
    ...(messages.includes(message) ? [] : [`says otherwise: ${message}`]),
    ...(new Set(messages).size === messages.length ? [] : [`repeats itself: ${messages.join(' ')}`]),
    ...messages.flatMap((text) => judgeWords(text)),
  ]
}

function judgeWords(text: string): string[] {
  return [
    ...(UNWANTED.test(text) ? [`has a word of a library: ${text}`] : []),
    ...(ALLOWED.test(text) ? [] : [`does not say what is allowed: ${text}`]),
    ...(/[.]$/.test(text) ? [] : [`is no sentence: ${text}`]),
  ]
}

interface Place {
  url: string
  headers: Record<string, string>
  valid: Record<string, unknown>
}

/** A game of its own for every request, and a caller who may use the route. */
async function prepare(name: string): Promise<Place> {
  const path = name.slice(name.indexOf(' ') + 1)
  const game = await insertGame(server, owner, { visibility: 'public' })
  const params: Params = { uid: game.uid, game_uid: game.uid }
  const at = (valid: object, headers: Record<string, string>): Place => ({
    url: path.replace(/:(\w+)/g, (_, key: string) => params[key] ?? key),
    headers: { 'content-type': 'application/json', ...headers },
    valid: valid as Record<string, unknown>,
  })
  const spec = CASES[name]
  if (spec) {
    // The makers of a page cannot review it.
    const caller = name.endsWith('/review') || name.includes('-suggestions') ? player : owner
    if (caller === player) await becomePlayer(game)
    Object.assign(params, await spec.params?.({ server, game, caller, state: 'public' }))
    const valid = typeof spec.body === 'function' ? spec.body(params) : (spec.body ?? {})
    const key = 'web_api_key' in valid ? { web_api_key: '0'.repeat(32) } : {}
    return at({ ...valid, ...key }, { cookie: caller.cookie, origin: server.url })
  }
  const operated = OPERATOR_CASES[name]
  if (operated) {
    Object.assign(params, await operated.params?.(server, owner))
    return at(operated.body ?? {}, { cookie: owner.cookie, origin: server.url })
  }
  return at(...(await asProgram(name, game, params)))
}

async function becomePlayer(game: GameRow): Promise<void> {
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, 120)
}

/** The routes of games, their servers and pipelines. */
async function asProgram(
  name: string,
  game: GameRow,
  params: Params,
): Promise<[object, Record<string, string>]> {
  if (name.includes('/public/')) {
    const build = await insertBuild(server, game.uid)
    const headers = { 'x-app-id': game.uid, 'x-build-id': build.uid }
    return [name.endsWith('crashes') ? makeCrash() : { events: [makeEvent()] }, headers]
  }
  if (name.includes('/extstore/')) {
    const { authKey } = await insertLink(server.deps, game.uid)
    return [
      name.endsWith('revoke') ? { jti: createUid() } : {},
      name.includes('/server/') ? { authorization: `Bearer ${authKey}` } : {},
    ]
  }
  if (name.includes('/tool/')) {
    const key = await issueDeployKey(server, game.uid)
    const build = await insertBuild(server, game.uid)
    Object.assign(params, { session_id: createUid(), build_id: build.uid })
    return [
      name.endsWith('/build') ? { version: '1.0.0', os: 'linux', arch: 'x86_64' } : {},
      { 'x-access-token': key['x-access-token'], 'x-secret-key': key['x-secret-key'] },
    ]
  }
  if (name.includes('/saves/')) {
    await server.deps.db.update(games).set({ savesEnabled: true }).where(eq(games.uid, game.uid))
    Object.assign(params, { game_id: game.uid, slot: 'main' })
    return [{ revision: '1' }, { authorization: `Bearer ${saveKey}` }]
  }
  await setReporter(owner, game.uid, { enabled: true })
  return [{ uids: [] }, { authorization: `Bearer ${bugKey}` }]
}

/** Bodies that the service reads by itself, without a schema in the route. */
const OWN_READERS: Readonly<Record<string, TSchema>> = {
  'PUT /api/v1/private/games/:uid/press': t.Partial(PressKit, { additionalProperties: false }),
  'POST /api/v1/private/games/:uid/builds': registrationOf(),
  'POST /api/v1/tool/upload/build': registrationOf(),
}

function registrationOf(): TSchema {
  const names = ['version', 'build_type', 'os', 'arch', 'channel', 'title', 'description', 'engine_version']
  const fields = [...names, 'changelog_items', 'app', 'app_name'].map((name) => [
    name,
    t.Optional(t.Unknown()),
  ])
  return t.Object(Object.fromEntries(fields), { additionalProperties: false })
}

describe('a wrong value in a JSON body', () => {
  test('is explained by every route: the field, what is allowed, no word of a library', async () => {
    const faults: string[] = []
    const seen: string[] = []
    for (const { name, body } of listRoutes()) {
      if (body === undefined) continue
      const schema = body[Kind] === 'Unknown' ? OWN_READERS[name] : body
      if (schema === undefined) throw new Error(`Say in OWN_READERS which fields ${name} has`)
      const { valid } = await prepare(name)
      for (const { path, value } of listWrongValues(schema, valid)) {
        // Nested fields of the press kit may be left out; its answer always has them.
        if (schema !== body && path.includes('.0.') && !JSON.stringify(value).includes('strange')) continue
        const { url, headers } = await prepare(name)
        const method = name.slice(0, name.indexOf(' '))
        const answer = await send({ url, method, headers, body: JSON.stringify(value) })
        const where = `${name} ${path} ${JSON.stringify(value).slice(0, 200)}`
        faults.push(...(await judge(answer, path)).map((fault) => `${where}: ${fault}`))
        seen.push(where)
      }
    }
    expect(faults).toEqual([])
    expect(seen.length).toBeGreaterThan(300)
  })

  test('is explained by every tool of the agents', () => {
    const faults = TOOLS.flatMap(({ name, input, readArguments }) =>
      listWrongValues(input).flatMap(({ path, value }) => {
        try {
          readArguments(value)
          return [`${name} ${path}: accepted ${JSON.stringify(value)}`]
        } catch (error) {
          const { message } = error as Error
          const named = message.includes(nameField(path)) ? [] : [`does not name ${path}: ${message}`]
          return [...named, ...judgeWords(message)].map((fault) => `${name}: ${fault}`)
        }
      }),
    )
    expect(faults).toEqual([])
  })
})

/** Forms are read as streams, so that no schema lists their fields. */
const FORMS: [
  name: string,
  type: 'urlencoded' | 'multipart',
  field: string,
  value: string | Blob | undefined,
][] = [
  ...(['filename', 'total_size', 'checksum', 'os', 'arch', 'channel'] as const).map(
    (field) => ['sessions', 'urlencoded', field, '!'] as [string, 'urlencoded', string, string],
  ),
  ['sessions', 'urlencoded', 'total_size', undefined],
  ['sessions', 'urlencoded', 'checksum', undefined],
  ['sessions', 'urlencoded', 'checksum_in_last_chunk', 'maybe'],
  ...(['checksum', 'os', 'arch', 'channel'] as const).map(
    (field) => ['files', 'multipart', field, '!'] as [string, 'multipart', string, string],
  ),
  ['files', 'multipart', 'file', undefined],
  ['symbols', 'multipart', 'file', undefined],
  ['symbols', 'multipart', 'file', new File(['no module'], 'game.sym')],
  ['images', 'multipart', 'kind', 'poster'],
  ['images', 'multipart', 'kind', undefined],
  ['images', 'multipart', 'file', undefined],
  ['images', 'multipart', 'file', new File(['not an image'], 'cover.png')],
  ['bugs', 'multipart', 'message', undefined],
  ['bugs', 'multipart', 'message', 'x'.repeat(4001)],
  ['bugs', 'multipart', 'os', 'x'.repeat(65)],
  ['bugs', 'multipart', 'screenshot', new File(['not an image'], 'shot.png')],
  ['bugs', 'multipart', 'screenshot', 'a text'],
]

describe('a wrong value in a form', () => {
  test.each(FORMS)('%s, %s: %s', async (name, type, field, value) => {
    const game = await insertGame(server, owner)
    const build = await insertBuild(server, game.uid)
    const zip = new File(['bytes'], 'game.zip')
    const shared = { build_id: build.uid, checksum: sha256Hex('bytes') }
    const valid: Record<string, Record<string, string | Blob>> = {
      sessions: { ...shared, filename: 'game.zip', total_size: '5' },
      files: { ...shared, file: zip },
      symbols: { build_id: build.uid, file: new File(['MODULE linux x86_64 A1 game'], 'game.sym') },
      images: { kind: 'cover', file: new File([await drawPng(64, 36)], 'cover.png') },
      bugs: { message: 'The lamp stays dark.' },
    }
    const fields = Object.entries({ ...valid[name], [field]: value }).filter(([, sent]) => sent !== undefined)
    const body = type === 'multipart' ? new FormData() : new URLSearchParams()
    // Files come last, as programs send them.
    for (const [key, sent] of fields.toSorted(([, one]) => (one instanceof Blob ? 1 : -1)))
      body.append(key, sent as string)
    if (name === 'bugs') await setReporter(owner, game.uid)
    const url = name === 'bugs' ? `/api/v1/games/${game.uid}/bugs` : `/api/v1/tool/upload/${name}`
    const headers =
      name === 'bugs' ? { authorization: `Bearer ${bugKey}` } : await issueDeployKey(server, game.uid)
    const answer = await server.fetch(url, { method: 'POST', headers: { ...headers }, body })
    expect(await judge(answer, field)).toEqual([])
  })
})

describe('a body of the wrong type', () => {
  test.each([
    ['POST /api/v1/tool/upload/sessions', 'application/x-www-form-urlencoded or application/json'],
    ['POST /api/v1/tool/upload/images', 'multipart/form-data'],
    ['POST /api/v1/tool/upload/build', 'application/json'],
  ])('%s asks for what it takes: %s', async (name, wanted) => {
    const { url, headers } = await prepare(name)
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' }
    expect(await readFailure(await server.fetch(url, init))).toMatchObject({
      status: 415,
      code: 4150,
      message: `Send the body as ${wanted}.`,
    })
  })
})

describe('a wrong value in a query', () => {
  test('is ignored or explained by every route', async () => {
    const faults: string[] = []
    for (const { name, query } of listRoutes()) {
      const { url, headers } = await prepare(name)
      for (const field of Object.keys(query?.properties ?? {})) {
        for (const sent of ['!', '!&again=1', `!&${field}=!`]) {
          const answer = await server.fetch(`${url}?${field}=${sent}`, { headers })
          if (answer.status !== 400) continue
          faults.push(...(await judge(answer, field)).map((fault) => `${name} ${field}: ${fault}`))
        }
      }
    }
    expect(faults).toEqual([])
  })
})
