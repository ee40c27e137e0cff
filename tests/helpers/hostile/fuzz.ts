import type { Random } from '../../../src/lib/random.ts'

const NASTY_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '"',
  "'",
  '\\',
  '%',
  '%%',
  '%zz',
  '%00',
  '%ff%fe',
  '../../etc/passwd',
  '..%2f..%2f',
  '//',
  '/./',
  '?',
  '#',
  '&=',
  ';',
  '\u0000',
  '\u202e',
  '\ud800',
  '💥',
  'ß'.repeat(50),
  "' or 1=1 --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(3000),
  '9'.repeat(400),
  '00000000-0000-0000-0000-000000000000',
  'svc_play_x',
  'Bearer',
]

const FIELDS = [
  'label',
  'scopes',
  'username',
  'developer_mode',
  'email',
  'password',
  'name',
  'token',
  '__proto__',
  'constructor',
]

export function nastyText(random: Random): string {
  return random.chance(0.2) ? random.pick(NASTY_TEXTS) + random.pick(NASTY_TEXTS) : random.pick(NASTY_TEXTS)
}

export function nastyValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 7)
  if (kind === 0) return nastyText(random)
  if (kind === 1) return random.pick([0, -1, 1.5, 2 ** 53, 1e300, -0])
  if (kind === 2) return random.chance(0.5)
  if (kind === 3) return null
  if (kind === 4) return random.pick(['player:read', 'ada', 'x@example.org', 'a perfectly fine text'])
  const length = random.below(4)
  if (kind === 5) return Array.from({ length }, () => nastyValue(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length }, () => [random.pick(FIELDS), nastyValue(random, depth + 1)]),
  )
}

/** Returns valid JSON of a wrong shape, malformed JSON, or no JSON at all. */
export function nastyBody(random: Random): string | Uint8Array {
  const text = JSON.stringify(nastyValue(random)) ?? ''
  if (random.chance(0.6)) return text
  if (random.chance(0.4)) return text.slice(0, random.below(text.length + 1))
  if (random.chance(0.3)) return '['.repeat(random.below(20_000))
  if (random.chance(0.5)) return Uint8Array.from({ length: random.below(200) }, () => random.below(256))
  return nastyText(random)
}
