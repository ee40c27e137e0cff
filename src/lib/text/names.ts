import { countCharacters, cutAtWord, oneLine } from './characters.ts'

/** The maximum length of the names of people, listings and programs. */
export const NAME_MAX = 80

/** Control characters, line separators, unpaired surrogates, and characters that reorder or hide text. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060-\u2064\uFEFF]/u
const EACH_UNFIT = new RegExp(UNFIT, 'gu')
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u
/** Mail programs turn these into links: schemes, and a dot between words. */
const SCHEME = /:\/\//g
const DOMAIN_DOT = /(?<=[\p{L}\p{N}_-])[.\u3002\uFF0E\uFF61](?=\p{L})/gu

export function hasUnfitCharacter(text: string): boolean {
  return UNFIT.test(text)
}

/** Returns the trimmed name, or null unless it is one line of 1 to `max` visible characters. */
export function parseName(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null
  const name = value.trim()
  // A character has at most two units, so long texts are never counted.
  if (name.length > max * 2 || countCharacters(name) > max) return null
  return VISIBLE.test(name) && !hasUnfitCharacter(name) ? name : null
}

export function describeName(max: number): string {
  return `one line of 1 to ${max} characters, without control characters`
}

/** Makes a name that can be shown out of text of unknown age or origin. */
export function showName(text: string, max: number): string {
  const shown = cutAtWord(oneLine(text.replace(EACH_UNFIT, ' ')), max)
  return VISIBLE.test(shown) ? shown : ''
}

/** Names from before the naming rules can be empty or contain anything. */
export function showProgramName(name: string | null): string {
  return showName(name ?? '', NAME_MAX) || 'Unnamed program'
}

/** For mails, where text of other people must not become a link. */
export function withoutLinks(text: string, max = NAME_MAX): string {
  return showName(text, max).replace(SCHEME, ': //').replace(DOMAIN_DOT, '. ')
}

/** Lower-case letters and digits with single dashes between them, accents dropped; may be empty. */
export function slugify(text: string, maxLength: number): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '')
}

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
const LOCAL_MAX = 64
export const EMAIL_MAX = 254

/** Accepts common addresses only: no quoted parts, no bare host. */
export function isEmail(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@')
  const labels = domain.split('.')
  return (
    text.length <= EMAIL_MAX &&
    more.length === 0 &&
    local.length <= LOCAL_MAX &&
    LOCAL.test(local) &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label))
  )
}
