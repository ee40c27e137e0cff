import type { SecondFactorPolicy } from '../../domain/confirmation.ts'
import { PHRASE_WORDS_MAX } from '../../domain/listings/everyday-words.ts'
import * as limits from '../../domain/store-settings.ts'
import { invalidFields, type Issue, issueAt } from '../../errors.ts'
import { parseHexColour } from '../../lib/color/oklch.ts'
import { isHttpsUrl, LINK_MAX } from '../../lib/net/urls.ts'
import { describeName, hasUnfitCharacter, isEmail, parseName } from '../../lib/text/names.ts'
import { wordsOf } from '../../lib/text/search-words.ts'
import type { SettingsPatch } from './model.ts'

type Stored = limits.StoredSettings
type Sent<Name extends keyof SettingsPatch> = NonNullable<SettingsPatch[Name]>

interface Change {
  stored: Stored
  secondFactor?: SecondFactorPolicy | null
}

/** The stored fields as the patch leaves them. Every fault is reported at once, and then nothing is saved. */
export function parsePatch(before: Stored, patch: SettingsPatch): Change {
  const { second_factor: secondFactor, ...fields } = patch
  const checks = new Checks()
  const stored: Record<string, unknown> = { ...before }
  for (const name of limits.SETTING_NAMES) {
    const sent = fields[name as keyof typeof fields]
    if (sent === null) delete stored[name]
    else if (sent !== undefined) stored[name] = checks.parse(name, sent, before)
  }
  if (checks.issues.length > 0) throw invalidFields(checks.issues)
  return { stored, ...(secondFactor !== undefined && { secondFactor }) }
}

/** The checks that the schema cannot express. Collects all issues; a patch with any issue is not saved. */
class Checks {
  readonly issues: Issue[] = []

  parse(name: limits.SettingName, sent: unknown, before: Stored): unknown {
    const setting: limits.Setting = limits.SETTINGS[name]
    if (name === 'hero') return this.#hero(sent as Sent<'hero'>, before.hero)
    if (name === 'announcement') return this.#announcement(sent as Sent<'announcement'>)
    if (name === 'pages') return this.#pages(sent as Sent<'pages'>, before.pages ?? [])
    if (name === 'footer_links')
      return (sent as Sent<'footer_links'>).map(({ label, url }, index) => ({
        label: this.#line(`footer_links.${index}.label`, label, limits.LINK_LABEL_MAX),
        url: this.#check(`footer_links.${index}.url`, isHttpsUrl(url, LINK_MAX) ? url : null, HTTPS_FAULT),
      }))
    if (name === 'synonyms')
      return (sent as Sent<'synonyms'>).map((group, index) => this.#synonyms(group, `synonyms.${index}`))
    if (setting.kind === 'line') return this.#line(name, sent as string, setting.max)
    if (setting.kind === 'text') return this.#text(name, sent as string)
    if (setting.kind === 'colour') return this.#check(name, parseHexColour(sent as string), COLOUR_FAULT)
    if (setting.kind !== 'contact') return sent
    const contact = (sent as string).trim()
    const isKnown = isEmail(contact) || isHttpsUrl(contact, LINK_MAX)
    return this.#check(name, isKnown ? contact : null, CONTACT_FAULT)
  }

  #check(path: string, value: string | null, fault: string): string {
    if (value === null) this.issues.push(issueAt(path, fault))
    return value ?? ''
  }

  #line(path: string, text: string, max: number): string {
    return this.#check(path, parseName(text, max), `must be ${describeName(max)}.`)
  }

  #text(path: string, text: string): string {
    return this.#check(path, hasUnfitCharacter(text) ? null : text.trim(), TEXT_FAULT)
  }

  /** Every phrase has a word, and few enough to be one phrase. */
  #synonyms(group: readonly string[], path: string): string[] {
    return group.map((phrase, index) => {
      const words = wordsOf(phrase).length
      const isFit = words > 0 && words <= PHRASE_WORDS_MAX && !hasUnfitCharacter(phrase)
      return this.#check(`${path}.${index}`, isFit ? phrase.trim() : null, SYNONYM_FAULT)
    })
  }

  #hero(sent: Sent<'hero'>, before: limits.Hero | undefined): limits.Hero {
    const standard = limits.DEFAULT_SETTINGS.hero
    const hero = { ...standard, ...before, ...withDefaults(sent, standard) }
    return {
      headline: this.#line('hero.headline', hero.headline, limits.HEADLINE_MAX),
      text: this.#text('hero.text', hero.text),
      game: hero.game?.trim() || null,
    }
  }

  #announcement({ markdown, level = 'info', ...times }: Sent<'announcement'>): limits.Announcement {
    const time = (text: string | null | undefined) => (text ? new Date(text).toISOString() : null)
    const [from, until] = [time(times.from), time(times.until)]
    if (markdown.trim() === '') this.issues.push(issueAt('announcement.markdown', 'must not be empty.'))
    if (from !== null && until !== null && from >= until)
      this.issues.push(issueAt('announcement.until', 'must be later than `from`.'))
    return { markdown, from, until, level }
  }

  #pages(sent: Sent<'pages'>, stored: readonly limits.StorePage[]): limits.StorePage[] {
    const taken = new Set<string>()
    return sent.map(({ slug, title, markdown }, index) => {
      if (taken.has(slug))
        this.issues.push(issueAt(`pages.${index}.slug`, `is taken: another page is called ${slug}.`))
      taken.add(slug)
      // Empty pages that are stored already can be sent back, so that others can be saved.
      const wasEmpty = stored.some((page) => page.slug === slug && page.markdown === markdown)
      if (markdown.trim() === '' && !wasEmpty)
        this.issues.push(issueAt(`pages.${index}.markdown`, 'must not be empty.'))
      return { slug, title: this.#line(`pages.${index}.title`, title, limits.PAGE_TITLE_MAX), markdown }
    })
  }
}

const SYNONYM_FAULT = `must have 1 to ${PHRASE_WORDS_MAX} words of letters or digits.`
const TEXT_FAULT = 'must be one line without control characters.'
const COLOUR_FAULT = 'must be a colour such as #4f3bd6.'
const HTTPS_FAULT = `must be an https:// address of at most ${LINK_MAX} characters.`
const CONTACT_FAULT = 'must be an e-mail address or an https:// address.'

/** Null resets a member to its default. */
function withDefaults<Fields extends object>(
  sent: Record<string, unknown>,
  standard: Fields,
): Partial<Fields> {
  const entries = Object.entries(sent).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value ?? Reflect.get(standard, name)]),
  ) as Partial<Fields>
}
