import type { StoreApp } from '../../../clients/extstore/client.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { Accessibility } from '../../../domain/listings/accessibility.ts'
import { LANGUAGES_MAX, type LanguageSupport } from '../../../domain/listings/languages.ts'
import { REQUIREMENT_MAX, type Requirements } from '../../../domain/listings/requirements.ts'
import { cutAtWord } from '../../../lib/text/characters.ts'
import { htmlToMarkdown } from '../../../lib/text/html-to-markdown.ts'
import type { ListingPatch } from '../../listings/page/model.ts'
import type { Skipped } from './model.ts'

interface FactsPart {
  patch?: ListingPatch
  skipped?: Skipped[]
}

/** The languages by which the store names them in English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  arabic: 'ar',
  bulgarian: 'bg',
  catalan: 'ca',
  croatian: 'hr',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  estonian: 'et',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hebrew: 'he',
  hindi: 'hi',
  hungarian: 'hu',
  icelandic: 'is',
  indonesian: 'id',
  irish: 'ga',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  latvian: 'lv',
  lithuanian: 'lt',
  malay: 'ms',
  norwegian: 'no',
  persian: 'fa',
  polish: 'pl',
  portuguese: 'pt',
  'portuguese - brazil': 'pt-BR',
  'portuguese - portugal': 'pt-PT',
  romanian: 'ro',
  russian: 'ru',
  serbian: 'sr',
  'simplified chinese': 'zh-Hans',
  slovak: 'sk',
  slovenian: 'sl',
  spanish: 'es',
  'spanish - latin america': 'es-419',
  'spanish - spain': 'es-ES',
  swedish: 'sv',
  tagalog: 'tl',
  tamil: 'ta',
  thai: 'th',
  'traditional chinese': 'zh-Hant',
  turkish: 'tr',
  ukrainian: 'uk',
  vietnamese: 'vi',
  welsh: 'cy',
}

/** Its categories about accessibility, by their English names. Others have no counterpart. */
const ACCESSIBILITY_BY_CATEGORY: Readonly<Record<string, Accessibility>> = {
  'adjustable difficulty': 'difficulty',
  'adjustable text size': 'text_size',
  'camera comfort': 'reduced_motion',
  'captions available': 'subtitles',
  'color alternatives': 'colour_blind_safe',
  'narrated game menus': 'narrated_menus',
  'playable without timed input': 'no_timed_input',
  'save anytime': 'save_anywhere',
  'subtitle options': 'subtitles',
}

const SYSTEMS = { windows: 'windows', mac: 'macos', linux: 'linux' } as const satisfies Record<
  keyof StoreApp['requirements'],
  OperatingSystem
>

/**
 * The store marks languages with full audio by a star, and does not say in the list what has subtitles: those that the
 * listing has already stay.
 */
export function planLanguages(
  { supportedLanguages }: StoreApp,
  current: readonly LanguageSupport[],
): FactsPart {
  const [list = ''] = supportedLanguages.split(/<br\s*\/?>/i)
  const names = list
    .replaceAll(/<[^>]*>/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const found = new Map<string, LanguageSupport>()
  const skipped: Skipped[] = []
  for (const name of names) {
    const plain = name.replaceAll('*', '').trim()
    const language = LANGUAGES[plain.toLowerCase()]
    if (language === undefined || found.size === LANGUAGES_MAX) {
      skipped.push({ field: 'languages', reason: `“${cutAtWord(plain, 60)}” has no counterpart here.` })
      continue
    }
    const subtitles = current.find((known) => known.language === language)?.subtitles ?? false
    found.set(language, { language, interface: true, audio: name.includes('*'), subtitles })
  }
  if (found.size > 0) return { patch: { languages: [...found.values()] }, skipped }
  return { skipped: [...skipped, { field: 'languages', reason: 'The store names no language.' }] }
}

/** Plain text for every system that the store offers the game for. */
export function planRequirements({ requirements, systems }: StoreApp): FactsPart {
  const found: Requirements = {}
  for (const [name, os] of Object.entries(SYSTEMS) as [keyof typeof SYSTEMS, OperatingSystem][]) {
    const [minimum, recommended] = [requirements[name].minimum, requirements[name].recommended].map(toText)
    if (!systems.includes(name) || (!minimum && !recommended)) continue
    found[os] = { minimum: minimum ?? null, recommended: recommended ?? null }
  }
  if (Object.keys(found).length > 0) return { patch: { requirements: found } }
  return { skipped: [{ field: 'requirements', reason: 'The store names no system requirements.' }] }
}

/** One line per item, without the heading that repeats which level it is. */
function toText(html: string): string | null {
  const lines = htmlToMarkdown(html)
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*[-*]\s+/, '')
        .replaceAll(/\*\*|\\(?=[^\w\s])/g, '')
        .trim(),
    )
    .filter((line) => line !== '' && !/^(?:minimum|recommended):?$/i.test(line))
  const text = lines.join('\n')
  if (text === '') return null
  return text.length > REQUIREMENT_MAX ? `${text.slice(0, REQUIREMENT_MAX - 1).trimEnd()}…` : text
}

/** What the store does not mention is not taken away. */
export function planAccessibility({ categoryNames }: StoreApp, current: readonly Accessibility[]): FactsPart {
  const found = categoryNames.flatMap((name) => ACCESSIBILITY_BY_CATEGORY[name.toLowerCase()] ?? [])
  if (found.length > 0) return { patch: { accessibility: [...new Set([...current, ...found])] } }
  return { skipped: [{ field: 'accessibility', reason: 'The store lists no accessibility features.' }] }
}
