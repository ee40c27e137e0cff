import { type Issue, nameField } from '../../errors.ts'

/** Fields whose name on pages differs from their name in the API. */
const WORDS: Readonly<Record<string, string>> = {
  vanity_name: 'address',
  asset_type: 'type',
  license_kind: 'licence',
  session_bucket: 'length of a session',
  net: 'multiplayer',
  players_min: 'fewest players',
  players_max: 'most players',
  authorship: 'made by',
  authorship_credit: 'credit',
  ai_uses: 'parts made with generative AI',
  external_name: 'name of the parent',
  external_url: 'link of the parent',
  min_version: 'lowest version',
  max_version: 'highest version',
  daily_cap: 'number of reports per player and day',
  webhook_urls: 'webhook addresses',
  fixed_in_version: 'version',
  contact_email: 'press contact',
  trailer_url: 'trailer',
  url: 'link',
  app_id: 'app',
  web_api_key: 'Web API key',
  amount_cents: 'amount',
  price_cents: 'price',
  arch: 'processor',
  os: 'system',
}

/**
 * The message of an issue in the words of the pages: `vanity_name must …` becomes `The address must …`. Entries of
 * lists are counted, unless each has a field of its own.
 */
export function sayOnPage({ path, message }: Issue, entry: string | null = 'entry'): string {
  const name = nameField(path)
  if (!message.startsWith(`${name} `)) return reword(message)
  const rule = message.slice(name.length)
  return reword(nameOnPage(path, entry) + (path.endsWith('_cents') ? toDollars(rule) : rule))
}

function reword(message: string): string {
  return message
    .replace(/, or null(?=[,.])/, '')
    .replace('the uid or vanity name of', 'the end of the address of')
}

/** Pages ask for amounts in dollars. */
function toDollars(message: string): string {
  return message
    .replaceAll(/\b\d+\b/g, (cents) => `$${(Number(cents) / 100).toFixed(2)}`)
    .replace(' US cents', '')
}

function nameOnPage(path: string, entry: string | null): string {
  if (path === '') return 'The form'
  const parts = path.split('.')
  const last = parts.at(-1) ?? ''
  const before = parts.at(-2) ?? ''
  if (entry === null) return `The ${wordsOf(parts.findLast((part) => !isIndex(part)) ?? '')}`
  if (isIndex(last)) return `${capitalize(entry)} ${Number(last) + 1} of the ${wordsOf(before)}`
  return isIndex(before) ? `The ${wordsOf(last)} in ${entry} ${Number(before) + 1}` : `The ${wordsOf(last)}`
}

function wordsOf(name: string): string {
  return WORDS[name] ?? name.replaceAll('_', ' ')
}

function isIndex(part: string): boolean {
  return /^\d+$/.test(part)
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
