import { type Field } from '../../domain/listings/field-kinds.ts'
import { FIELDS, mapFields } from '../../domain/listings/fields.ts'
import { type Issue, nameField } from '../../errors.ts'
import { cutAtWord, oneLine } from '../../lib/text/characters.ts'

/** Longer entries are cut in messages that quote them. */
const TYPED_MAX = 60

/** Fields whose name on pages differs from their name in the API. */
const WORDS: Readonly<Record<string, string>> = {
  ...mapFields<string, Field, string>(FIELDS, ({ label, inWords }) => inWords ?? label.toLowerCase()),
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
  markdown: 'text',
  bio: 'text about you',
  email: 'e-mail address',
  slug: 'address',
  edition_uid: 'edition',
  publish_at: 'time of publishing',
  expires_at: 'time it is valid until',
  from: 'time it is shown from',
  until: 'time it is shown until',
  starts_at: 'start',
  ends_at: 'end',
  voting_ends_at: 'end of the voting',
  grace_minutes: 'grace in minutes',
  entries_per_person: 'number of entries per person',
  min_ratings: 'number of ratings an entry needs',
}

/** Messages for fields that were left empty, where the default message is too vague. */
const REQUESTS: Readonly<Record<string, string>> = {
  rating: 'Choose 1 to 5 stars.',
}

/** The separators of lists that are typed into one field. */
const SEPARATORS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries<Field>(FIELDS).flatMap(([name, { kind }]) => (kind === 'slugs' ? [[name, ',']] : [])),
  ),
  similar_titles: ',',
  hidden_tags: ',',
  webhook_urls: '\n',
}

/** Rules that only say which kind of value is expected. */
const KIND_RULE =
  /^ (?:is missing|must have \d+ to|must be (?:one of|one line|an? (?:text|whole number|number|date|time|address|uid|e-mail address)))\b/
const CHOICE_RULE = /^( (?:is missing; it )?must be one of) .*$/s

/**
 * The message of an issue in the words of the pages: `vanity_name must …` becomes `The address must …`.
 * Entries of lists are numbered, unless each has a field of its own.
 */
export function toPageMessage({ path, message }: Issue, entry: string | null = 'entry'): string {
  const name = nameField(path)
  if (!message.startsWith(`${name} `)) return reword(message)
  const rule = message.slice(name.length)
  return say(nameOnPage(path, entry), path.endsWith('_cents') ? toDollars(rule) : rule)
}

/** The same for a sent form: asks for empty fields, and quotes the entry of a list as it was typed. */
export function toFormMessage(issue: Issue, values: URLSearchParams): string {
  const { path, message } = issue
  const name = nameField(path)
  const rule = message.slice(name.length)
  if (!message.startsWith(`${name} `)) return toPageMessage(issue)
  if (isBlank(values, path) && KIND_RULE.test(rule)) {
    const verb = CHOICE_RULE.test(rule) ? 'Choose' : 'Enter'
    return REQUESTS[path] ?? `${verb} the ${wordsOf(path.split('.').at(-1) ?? '')}.`
  }
  const [, list = '', index = ''] = /^(\w+)\.(\d+)$/.exec(path) ?? []
  const separator = SEPARATORS[list]
  const typed = separator && splitList(values.get(list) ?? '', separator)[Number(index)]
  return typed === undefined ? toPageMessage(issue) : toEntryMessage(typed, `the ${wordsOf(list)}`, rule)
}

/** A fault of one entry of a list. */
export function toEntryMessage(typed: string, list: string, rule: string): string {
  return say(`“${cutAtWord(oneLine(typed), TYPED_MAX)}” in ${list}`, rule)
}

/** The entries of a list that is typed into one field. */
export function splitList(text: string, separator = ','): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function isBlank(values: URLSearchParams, path: string): boolean {
  return (values.get(path) ?? (path.includes('.') ? 'unknown' : '')).trim() === ''
}

function say(subject: string, rule: string): string {
  // Drops the quoted value, because the field still shows it.
  const short = rule.replace(/^( must be .*), not (?:-?[\d.]+|NaN|null|".*"…?)\.$/s, '$1.')
  return reword(subject + short.replace(CHOICE_RULE, '$1 those that the form offers.'))
}

function reword(message: string): string {
  return message
    .replace(/, or null(?=[,.])/, '')
    .replace('the uid or vanity name of', 'the end of the address of')
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => WORDS[word] ?? word)
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

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
