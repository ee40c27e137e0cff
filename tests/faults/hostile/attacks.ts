import { type Dice } from '../../../src/lib/dice.ts'
import { nastyBody, nastyText } from '../../helpers/fuzz.ts'
import type { Target } from './target.ts'
import { hostileZip } from './zips.ts'

export interface Attack {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array | FormData
}

type MakeAttack = (dice: Dice, target: Target) => Attack

/** As many addresses as a small botnet has: some of them run into the limits, most do not. */
const ADDRESSES = 400

const JSON_ROUTES = [
  ...['/api/v1/public/events', '/api/v1/public/crashes', '/api/auth/sign-in/email'],
  ...['/api/auth/oauth2/register', '/api/auth/oauth2/token', '/api/auth/request-password-reset'],
]
const LIST_FILTERS = ['tags', 'genres', 'exclude_tags', 'engine', 'renderer', 'asset_type', 'os']
const SECRET_HEADERS = ['authorization', 'svc_games', 'x-access-token', 'cookie']

/** Every attack that once hurt, as a kind of its own. */
export const ATTACKS: Readonly<Record<string, MakeAttack>> = {
  deepJson: (dice, target) => post(dice, jsonPath(dice, target), deepJson(dice)),
  wideJson: (dice, target) => post(dice, jsonPath(dice, target), wideJson(dice)),
  longSearch: (dice) => get(dice, `/api/v1/public/search?${longQuery(dice)}`),
  wordSalad: (dice) => get(dice, `/api/v1/public/search?q=${encodeURIComponent(wordSalad(dice))}`),
  signUps: (dice) =>
    post(
      dice,
      '/api/auth/sign-up/email',
      JSON.stringify({
        name: dice.pick(['Ada', nastyText(dice), 'http://evil.example\r\nBcc: x@example.org']),
        email: `enemy-${crypto.randomUUID()}@example.org`,
        password: dice.pick(['short', 'a long enough password']),
      }),
    ),
  edits: (dice, target) => ({
    ...post(dice, `/api/v1/private/games/${target.enemy.gameUid}`, freshWords(dice)),
    method: 'PATCH',
    headers: asEnemy(target),
  }),
  playerKeys: (_, target) => ({
    ...{ method: 'POST', path: '/api/v1/private/player-keys', headers: asEnemy(target) },
    body: JSON.stringify({ label: 'one of many' }),
  }),
  credentials: (dice, { games }) => ({
    ...get(dice, dice.pick(['/api/v1/private/me', `/api/v1/public/games/${dice.pick(games)}`])),
    headers: { ...from(dice), [dice.pick(SECRET_HEADERS)]: badCredential(dice) },
  }),
  paths: (dice) => get(dice, `/api/v1/public/games/${encodeURIComponent(nastyText(dice).toWellFormed())}`),
  bodies: (dice, target) => post(dice, jsonPath(dice, target), nastyBody(dice)),
  zips: (dice, target) => ({
    ...{ method: 'POST', path: '/api/v1/tool/upload/files' },
    headers: { ...from(dice), ...target.enemy.deployKey },
    body: zipForm(dice, target.enemy.buildId),
  }),
}

export function makeAttack(dice: Dice, target: Target): Attack & { kind: string } {
  const kind = dice.pick(Object.keys(ATTACKS))
  const make = ATTACKS[kind]
  if (!make) throw new Error(`There is no attack ${kind}`)
  return { kind, ...make(dice, target) }
}

function from(dice: Dice): { 'x-forwarded-for': string } {
  const number = dice.below(ADDRESSES)
  return { 'x-forwarded-for': `10.66.${number >> 8}.${number & 255}` }
}

function asEnemy({ url, enemy }: Target): Record<string, string> {
  const { cookie, address } = enemy
  return { cookie, origin: url, 'x-forwarded-for': address, 'content-type': 'application/json' }
}

function get(dice: Dice, path: string): Attack {
  return { method: 'GET', path, headers: from(dice) }
}

function post(dice: Dice, path: string, body: string | Uint8Array): Attack {
  return { method: 'POST', path, headers: { ...from(dice), 'content-type': 'application/json' }, body }
}

function jsonPath(dice: Dice, { games }: Target): string {
  return dice.pick([...JSON_ROUTES, `/api/v1/extstore/${dice.pick(games)}/auth`])
}

function deepJson(dice: Dice): string {
  const depth = dice.pick([65, 1000, 20_000, 100_000])
  const [open, close] = dice.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"events":', '}]'],
  ] as const)
  return open.repeat(depth) + (dice.chance(0.5) ? '0' : '') + close.repeat(depth)
}

function wideJson(dice: Dice): string {
  const count = dice.pick([1000, 10_000, 50_000])
  const item = dice.pick(['[]', '{}', '"x"', '{"name":1}'])
  const items = `[${Array.from({ length: count }, () => item).join(',')}]`
  if (dice.chance(0.5)) return `{"events":${items}}`
  return `{${Array.from({ length: count }, (_, at) => `"field${at}":1`).join(',')}}`
}

function longQuery(dice: Dice): string {
  const name = dice.pick(LIST_FILTERS)
  return dice.chance(0.5)
    ? `${name}=${randomWord(dice, 4000)}`
    : `${name}=${Array.from({ length: 300 }, () => randomWord(dice, 8)).join(',')}`
}

function wordSalad(dice: Dice): string {
  return Array.from({ length: 1 + dice.below(60) }, () => randomWord(dice, 4 + dice.below(30))).join(' ')
}

function freshWords(dice: Dice): string {
  const description = Array.from({ length: 2000 }, () => randomWord(dice, 12)).join(' ')
  return JSON.stringify({ description })
}

function badCredential(dice: Dice): string {
  const part = () => Buffer.from(randomWord(dice, 60)).toString('base64url')
  return dice.pick([
    ...[`Bearer ${part()}.${part()}.${part()}`, `Bearer svc_play_${randomWord(dice, 43)}`, 'Bearer '],
    ...[randomWord(dice, 4000), `playshelf.session_token=${part()}`],
  ])
}

function zipForm(dice: Dice, buildId: string): FormData {
  const bytes = hostileZip(dice)
  const form = new FormData()
  form.append('build_id', buildId)
  form.append('checksum', new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
  form.append('file', new File([bytes], `${randomWord(dice, 6)}.zip`))
  return form
}

function randomWord(dice: Dice, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + dice.below(26))).join('')
}
