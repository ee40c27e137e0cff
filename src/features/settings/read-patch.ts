import type { SecondFactorPolicy } from '../../domain/second-factor.ts'
import * as limits from '../../domain/store-settings.ts'
import { invalidFields, type Issue, issueAt } from '../../errors.ts'
import { readHexColour } from '../../lib/color/oklch.ts'
import { isHttpsUrl, LINK_MAX } from '../../lib/net/urls.ts'
import { isEmail } from '../../lib/text/email.ts'
import { describeName, hasUnfitCharacter, readName } from '../../lib/text/names.ts'
import type { SettingsPatch } from './model.ts'

type Stored = limits.StoredSettings

export interface Change {
  stored: Stored
  secondFactor?: SecondFactorPolicy | null
}

/** The stored fields as the patch leaves them. Every fault is reported at once, and then nothing is saved. */
export function readPatch(before: Stored, patch: SettingsPatch): Change {
  const { second_factor: secondFactor, ...fields } = patch
  const issues: Issue[] = []
  const stored: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (value === null) delete stored[name]
    else stored[name] = value
  }
  const read = stored as Stored
  function check<Value>(path: string, value: Value | null, fault: string): Value | undefined {
    if (value === null) issues.push(issueAt(path, fault))
    return value ?? undefined
  }
  const line = (path: string, text: string, max: number) =>
    check(path, readName(text, max), `must be ${describeName(max)}.`) ?? ''
  const plain = (path: string, text: string) =>
    check(
      path,
      hasUnfitCharacter(text) ? null : text.trim(),
      'must be one line without control characters.',
    ) ?? ''

  if (typeof fields.name === 'string') read.name = line('name', fields.name, limits.STORE_NAME_MAX)
  if (typeof fields.tagline === 'string') read.tagline = plain('tagline', fields.tagline)
  if (typeof fields.description === 'string') read.description = plain('description', fields.description)
  if (typeof fields.accent === 'string')
    read.accent = check('accent', readHexColour(fields.accent), 'must be a colour such as #4f3bd6.') ?? ''
  if (fields.hero) {
    const standard = limits.DEFAULT_SETTINGS.hero
    const hero = { ...standard, ...before.hero, ...withDefaults(fields.hero, standard) }
    read.hero = {
      headline: line('hero.headline', hero.headline, limits.HEADLINE_MAX),
      text: plain('hero.text', hero.text),
      game: hero.game?.trim() || null,
    }
  }
  if (fields.announcement) read.announcement = readAnnouncement(fields.announcement, issues)
  if (fields.pages) read.pages = readPages(fields.pages, before.pages ?? [], issues, line)
  if (fields.footer_links) {
    read.footer_links = fields.footer_links.map(({ label, url }, index) => ({
      label: line(`footer_links.${index}.label`, label, limits.LINK_LABEL_MAX),
      url: check(`footer_links.${index}.url`, isHttpsUrl(url, LINK_MAX) ? url : null, HTTPS_FAULT) ?? '',
    }))
  }
  if (typeof fields.contact === 'string') {
    const contact = fields.contact.trim()
    const isKnown = isEmail(contact) || isHttpsUrl(contact, LINK_MAX)
    read.contact = check('contact', isKnown ? contact : null, CONTACT_FAULT) ?? null
  }
  if (issues.length > 0) throw invalidFields(issues)
  return { stored: read, ...(secondFactor !== undefined && { secondFactor }) }
}

const HTTPS_FAULT = `must be an https:// address of at most ${LINK_MAX} characters.`
const CONTACT_FAULT = 'must be an e-mail address or an https:// address.'

/** Null brings the default of a member back. */
function withDefaults<Fields extends object>(
  sent: Record<string, unknown>,
  standard: Fields,
): Partial<Fields> {
  const entries = Object.entries(sent).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value ?? Reflect.get(standard, name)]),
  ) as Partial<Fields>
}

function readAnnouncement(
  sent: NonNullable<SettingsPatch['announcement']>,
  issues: Issue[],
): limits.Announcement {
  const time = (text: string | null | undefined) => (text ? new Date(text).toISOString() : null)
  const announcement = {
    markdown: sent.markdown,
    from: time(sent.from),
    until: time(sent.until),
    level: sent.level ?? 'info',
  }
  if (sent.markdown.trim() === '') issues.push(issueAt('announcement.markdown', 'must not be empty.'))
  const { from, until } = announcement
  if (from !== null && until !== null && from >= until)
    issues.push(issueAt('announcement.until', 'must be later than `from`.'))
  return announcement
}

function readPages(
  sent: NonNullable<SettingsPatch['pages']>,
  stored: readonly limits.StorePage[],
  issues: Issue[],
  line: (path: string, text: string, max: number) => string,
): limits.StorePage[] {
  const taken = new Set<string>()
  return sent.map(({ slug, title, markdown }, index) => {
    if (taken.has(slug))
      issues.push(issueAt(`pages.${index}.slug`, `is taken: another page is called ${slug}.`))
    taken.add(slug)
    // Empty pages that are stored already can be sent back, so that others can be saved.
    const wasEmpty = stored.some((page) => page.slug === slug && page.markdown === markdown)
    if (markdown.trim() === '' && !wasEmpty)
      issues.push(issueAt(`pages.${index}.markdown`, 'must not be empty.'))
    return { slug, title: line(`pages.${index}.title`, title, limits.PAGE_TITLE_MAX), markdown }
  })
}
