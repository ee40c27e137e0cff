import { isObject } from '../../lib/field-readers.ts'
import { refuseCount, refuseTaxonomy } from './slugs.ts'

export const LANGUAGES_MAX = 40
/** The longest tag that is taken: a language with script, region and a variant. */
const LANGUAGE_TAG_MAX = 35

/** What of a game is in a language. */
export const LANGUAGE_PARTS = ['interface', 'audio', 'subtitles'] as const
export type LanguagePart = (typeof LANGUAGE_PARTS)[number]

export interface LanguageSupport extends Record<LanguagePart, boolean> {
  /** A canonical BCP 47 tag such as `pt-BR`. */
  language: string
}

/** Without extensions; words such as `german` are well-formed tags, but of no language. */
const TAG = /^[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,4}$/i

/** The canonical form of a tag: `pt_br` becomes `pt-BR`. Null for anything else. */
export function parseLanguage(text: string): string | null {
  const tag = text.trim()
  if (tag.length > LANGUAGE_TAG_MAX || !TAG.test(tag)) return null
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })

const shownSoFar = new Map<string, string>()
const SHOWN_MAX = 1000

/** The English name of a canonical tag; the tag itself for languages without one. */
export function showLanguage(tag: string): string {
  const known = shownSoFar.get(tag)
  if (known !== undefined) return known
  const name = names.of(tag) ?? tag
  if (shownSoFar.size < SHOWN_MAX) shownSoFar.set(tag, name)
  return name
}

const namedSoFar = new Map<string, readonly string[]>()

/** What a language is called in English and by itself, whatever its region and script: `German` and `Deutsch` for `de-AT`. */
export function namesOfLanguage(tag: string): readonly string[] {
  const [language = tag] = tag.split('-')
  const known = namedSoFar.get(language)
  if (known) return known
  const own = new Intl.DisplayNames([language], { type: 'language', fallback: 'code' }).of(language)
  // A language without a name is called by its tag, which may be a common word such as `no`.
  const found = [showLanguage(language), own ?? language].filter((name) => name !== language)
  namedSoFar.set(language, found)
  return found
}

/** Scripts of languages that are several in Unicode. */
const UNITED_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
}

/**
 * The language of what a listing says about itself: that of its interface, if it has a single one and the text is in its
 * script. Undefined where nobody can know.
 */
export function findTextLanguage(
  languages: readonly Pick<LanguageSupport, 'language' | 'interface'>[],
  text: string,
): string | undefined {
  const [only, ...others] = languages.filter((support) => support.interface)
  if (!only || others.length > 0) return undefined
  const { script } = new Intl.Locale(only.language).maximize()
  if (script === undefined) return undefined
  const scripts = UNITED_SCRIPTS[script] ?? [script]
  return scripts.some((name) => hasScript(text, name)) ? only.language : undefined
}

/** False for scripts that Unicode does not know as such. */
function hasScript(text: string, script: string): boolean {
  try {
    return new RegExp(`\\p{Script=${script}}`, 'u').test(text)
  } catch {
    return false
  }
}

/** The languages of a listing. One that is given twice has the parts of both. */
export function parseLanguages(field: string, value: unknown, max: number): LanguageSupport[] {
  if (value === null) return []
  if (!Array.isArray(value)) return refuseTaxonomy(field, value, 'must be a list of languages')
  const found = new Map<string, LanguageSupport>()
  for (const [index, entry] of value.entries()) {
    const { language, ...given } = parseEntry(field, entry, index)
    const known = found.get(language)
    const hasPart = (part: LanguagePart) => given[part] || known?.[part] === true
    found.set(language, {
      language,
      interface: hasPart('interface'),
      audio: hasPart('audio'),
      subtitles: hasPart('subtitles'),
    })
  }
  refuseCount(field, [...found.keys()], max)
  return [...found.values()]
}

function parseEntry(field: string, entry: unknown, index: number): LanguageSupport {
  const refuse = (expected: string) => refuseTaxonomy(field, entry, expected, index)
  if (!isObject(entry)) return refuse('must be an object with a language and its parts')
  const { language, ...parts } = entry
  const tag = typeof language === 'string' ? parseLanguage(language) : null
  if (tag === null) return refuse('must have a BCP 47 tag such as de or pt-BR as its language')
  const unknown = Object.keys(parts).find((name) => !LANGUAGE_PARTS.some((part) => part === name))
  if (unknown !== undefined) return refuse(`must have only language, ${LANGUAGE_PARTS.join(', ')}`)
  const readPart = (part: LanguagePart): boolean => {
    const given = parts[part] ?? false
    return typeof given === 'boolean' ? given : refuse(`must have true or false as ${part}`)
  }
  const support = {
    language: tag,
    interface: readPart('interface'),
    audio: readPart('audio'),
    subtitles: readPart('subtitles'),
  }
  if (LANGUAGE_PARTS.every((part) => !support[part])) {
    return refuse(`must have at least one of ${LANGUAGE_PARTS.join(', ')}`)
  }
  return support
}
