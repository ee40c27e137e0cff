import { type Random } from '../../../src/lib/random.ts'
import { makeForm } from '../../helpers/bugs.ts'
import { nastyBody, nastyText } from '../../helpers/hostile/fuzz.ts'
import { hostileCrash } from './symbols.ts'
import type { Developer, Target } from './target.ts'
import { bomb, hostileZip, zipForm } from './zips.ts'

export interface Attack {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array | FormData
}

type MakeAttack = (random: Random, target: Target) => Attack

/** Bodies of a kind that are made; then they are sent again. */
const STOCK = 100

/** As many addresses as a small botnet has: some of them run into the limits, most do not. */
const ADDRESSES = 400

const JSON_ROUTES = [
  '/api/v1/public/events',
  '/api/v1/public/crashes',
  '/api/auth/sign-in/email',
  '/api/auth/oauth2/register',
  '/api/auth/oauth2/token',
  '/api/auth/request-password-reset',
]
const LIST_FILTERS = ['tags', 'genres', 'exclude_tags', 'engine', 'renderer', 'asset_type', 'os']
const JSON_TYPE = { 'content-type': 'application/json' }
const SECRET_HEADERS = ['authorization', 'svc_games', 'x-access-token', 'cookie']

const takeDeepJson = stock(deepJson)
const takeWideJson = stock(wideJson)
const takeFreshWords = stock(freshWords)
const takeZip = stock(hostileZip)
const takeBomb = stock(bomb, 1)
const takeEvents = stock(manyEvents, 4)

/** Every attack that once hurt, as a kind of its own. */
export const ATTACKS: Readonly<Record<string, MakeAttack>> = {
  deepJson: (random, target) => post(random, jsonPath(random, target), takeDeepJson(random)),
  wideJson: (random, target) => post(random, jsonPath(random, target), takeWideJson(random)),
  wideSearch: (random) => get(random, `/search?${wideQuery(random)}`),
  longSearch: (random) => get(random, `/api/v1/public/search?${longQuery(random)}`),
  wordSalad: (random) => get(random, `/api/v1/public/search?q=${encodeURIComponent(wordSalad(random))}`),
  signUps: (random) =>
    post(
      random,
      '/api/auth/sign-up/email',
      JSON.stringify({
        name: random.pick(['Ada', nastyText(random), 'http://evil.example\r\nBcc: x@example.org']),
        email: `enemy-${crypto.randomUUID()}@example.org`,
        password: random.pick(['short', 'a long enough password']),
      }),
    ),
  edits: (random, target) => ({
    ...post(random, `/api/v1/private/games/${target.enemy.gameUid}`, takeFreshWords(random)),
    method: 'PATCH',
    headers: asEnemy(target),
  }),
  renames: (random, target) => ({
    method: 'PATCH',
    path: `/api/v1/private/games/${target.enemy.gameUid}`,
    headers: asEnemy(target),
    body: JSON.stringify({ vanity_name: randomWord(random, 12) }),
  }),
  events: (random, { developer }) => ({
    ...post(random, '/api/v1/public/events', takeEvents(random)),
    headers: { ...from(random), ...JSON_TYPE, ...asGame(developer) },
  }),
  crashes: (random, { enemy }) => ({
    ...post(random, '/api/v1/public/crashes', hostileCrash(random)),
    headers: { ...from(random), ...JSON_TYPE, ...asGame(enemy) },
  }),
  reports: (_, { enemy, visitor }) => ({
    method: 'POST',
    path: `/api/v1/games/${enemy.gameUid}/bugs`,
    headers: { authorization: `Bearer ${visitor.playerKey}`, 'x-forwarded-for': enemy.address },
    body: makeForm({ message: 'One of many' }),
  }),
  playerKeys: (_, target) => ({
    method: 'POST',
    path: '/api/v1/private/player-keys',
    headers: asEnemy(target),
    body: JSON.stringify({ label: 'one of many' }),
  }),
  credentials: (random, { games }) => ({
    ...get(random, random.pick(['/api/v1/private/me', `/api/v1/public/games/${random.pick(games)}`])),
    headers: { ...from(random), [random.pick(SECRET_HEADERS)]: badCredential(random) },
  }),
  paths: (random) =>
    get(random, `/api/v1/public/games/${encodeURIComponent(nastyText(random).toWellFormed())}`),
  bodies: (random, target) => post(random, jsonPath(random, target), nastyBody(random)),
  zips: (random, target) => ({
    method: 'POST',
    path: '/api/v1/tool/upload/files',
    headers: { ...from(random), ...target.enemy.deployKey },
    body: zipForm(takeZip(random), `${randomWord(random, 6)}.zip`, target.enemy.buildId),
  }),
  bombs: (random, target) => ({
    method: 'POST',
    path: '/api/v1/tool/upload/files',
    headers: { ...from(random), ...target.enemy.deployKey },
    body: zipForm(takeBomb(random), `${randomWord(random, 6)}.zip`, target.enemy.buildId),
  }),
}

export function makeAttack(random: Random, target: Target, kind: string): Attack {
  const make = ATTACKS[kind]
  if (!make) throw new Error(`There is no attack ${kind}`)
  return make(random, target)
}

/**
 * For what is costly to make: an enemy does that on machines of its own, while here it would take CPU time from
 * the server and slow the attacks down.
 */
function stock<Made>(make: (random: Random) => Made, count: number = STOCK): (random: Random) => Made {
  const made: Made[] = []
  return (random) => {
    if (made.length === count) return random.pick(made)
    const fresh = make(random)
    made.push(fresh)
    return fresh
  }
}

function from(random: Random): { 'x-forwarded-for': string } {
  const number = random.below(ADDRESSES)
  return { 'x-forwarded-for': `10.66.${number >> 8}.${number & 255}` }
}

function asEnemy({ url, enemy }: Target): Record<string, string> {
  const { cookie, address } = enemy
  return { ...JSON_TYPE, cookie, origin: url, 'x-forwarded-for': address }
}

function asGame({ gameUid, buildId }: Developer): Record<string, string> {
  return { 'x-app-id': gameUid, 'x-build-id': buildId }
}

function get(random: Random, path: string): Attack {
  return { method: 'GET', path, headers: from(random) }
}

function post(random: Random, path: string, body: string | Uint8Array): Attack {
  return { method: 'POST', path, headers: { ...from(random), ...JSON_TYPE }, body }
}

function jsonPath(random: Random, { games }: Target): string {
  return random.pick([...JSON_ROUTES, `/api/v1/extstore/${random.pick(games)}/auth`])
}

function deepJson(random: Random): string {
  const depth = random.pick([65, 1000, 20_000, 100_000])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"events":', '}]'],
  ] as const)
  return open.repeat(depth) + (random.chance(0.5) ? '0' : '') + close.repeat(depth)
}

function wideJson(random: Random): string {
  const count = random.pick([1000, 10_000, 50_000])
  const item = random.pick(['[]', '{}', '"x"', '{"name":1}'])
  const items = `[${Array.from({ length: count }, () => item).join(',')}]`
  if (random.chance(0.5)) return `{"events":${items}}`
  return `{${Array.from({ length: count }, (_, at) => `"field${at}":1`).join(',')}}`
}

function longQuery(random: Random): string {
  const name = random.pick(LIST_FILTERS)
  return random.chance(0.5)
    ? `${name}=${randomWord(random, 4000)}`
    : `${name}=${Array.from({ length: 300 }, () => randomWord(random, 8)).join(',')}`
}

function wordSalad(random: Random): string {
  return Array.from({ length: 1 + random.below(60) }, () => randomWord(random, 4 + random.below(30))).join(
    ' ',
  )
}

function freshWords(random: Random): string {
  const description = Array.from({ length: 2000 }, () => randomWord(random, 12)).join(' ')
  return JSON.stringify({ description })
}

function badCredential(random: Random): string {
  const part = () => Buffer.from(randomWord(random, 60)).toString('base64url')
  return random.pick([
    `Bearer ${part()}.${part()}.${part()}`,
    `Bearer svc_play_${randomWord(random, 43)}`,
    'Bearer ',
    randomWord(random, 4000),
    `playshelf.session_token=${part()}`,
  ])
}

/** More values than a page can show, each of which a page might link to all the others. */
function wideQuery(random: Random): string {
  const values = Array.from({ length: 2000 }, () => randomWord(random, 4)).join(',')
  return `${random.pick(LIST_FILTERS)}=${values}`
}

function manyEvents(): string {
  const metadata = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`key${at}`, 'x'.repeat(200)]))
  const events = Array.from({ length: 100 }, () => ({
    name: 'heartbeat',
    device_id: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    at: new Date().toISOString(),
    metadata,
  }))
  return JSON.stringify({ events })
}

function randomWord(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + random.below(26))).join('')
}
