import {
  computeGraceEnd,
  type Criterion,
  CRITERION_NAME_MAX,
  CRITERION_TEXT_MAX,
  JAM_DAYS_MAX,
  JAM_HOURS_MIN,
  JAM_TAGLINE_MAX,
  JAM_THEME_MAX,
  JAM_TITLE_MAX,
  VOTING_DAYS_MAX,
} from '../../../domain/jams.ts'
import { invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { describeName, hasUnfitCharacter, parseName } from '../../../lib/text/names.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { jamClosed, type JamRow, tellTime } from '../access.ts'
import type { JamPatch } from './model.ts'

export type JamValues = Pick<
  JamRow,
  | 'title'
  | 'tagline'
  | 'text'
  | 'theme'
  | 'themeHidden'
  | 'startsAt'
  | 'endsAt'
  | 'votingEndsAt'
  | 'graceMinutes'
  | 'visibility'
  | 'entry'
  | 'types'
  | 'platforms'
  | 'webRequired'
  | 'entriesPerPerson'
  | 'madeDuring'
  | 'voters'
  | 'criteria'
  | 'mustPlay'
  | 'minRatings'
>

const EPOCH = new Date(0)
const HOUR_MS = 60 * 60 * 1000
/** A jam starts at most so far ahead. */
const START_DAYS_MAX = 3 * 366

/** What a jam has that nothing was said about. */
export const NEW_JAM: JamValues = {
  title: '',
  tagline: '',
  text: '',
  theme: '',
  themeHidden: false,
  startsAt: EPOCH,
  endsAt: EPOCH,
  votingEndsAt: null,
  graceMinutes: 0,
  visibility: 'draft',
  entry: 'open',
  types: [],
  platforms: [],
  webRequired: false,
  entriesPerPerson: 1,
  madeDuring: false,
  voters: 'entrants',
  criteria: [{ name: 'Overall', text: '', primary: true }],
  mustPlay: true,
  minRatings: 5,
}

/** All faults are reported together. */
export function applyPatch(before: JamValues, patch: JamPatch, now: Date): JamValues {
  const issues: Issue[] = []
  const title = patch.title === undefined ? before.title : parseName(patch.title, JAM_TITLE_MAX)
  if (title === null) issues.push(issueAt('title', `must be ${describeName(JAM_TITLE_MAX)}.`))
  const line = (path: string, sent: string | null | undefined, known: string, max: number): string => {
    if (sent === undefined || sent === null) return known
    const text = sent.trim()
    if (hasUnfitCharacter(text) || countCharacters(text) > max)
      issues.push(issueAt(path, `must be one line of at most ${max} characters, without control characters.`))
    return text
  }
  const after: JamValues = {
    title: title ?? '',
    tagline: line('tagline', patch.tagline, before.tagline, JAM_TAGLINE_MAX),
    text: patch.text ?? before.text,
    theme: line('theme', patch.theme, before.theme, JAM_THEME_MAX),
    themeHidden: patch.theme_hidden ?? before.themeHidden,
    startsAt: parseTime(patch.starts_at) ?? before.startsAt,
    endsAt: parseTime(patch.ends_at) ?? before.endsAt,
    votingEndsAt:
      patch.voting_ends_at === null ? null : (parseTime(patch.voting_ends_at) ?? before.votingEndsAt),
    graceMinutes: patch.grace_minutes ?? before.graceMinutes,
    visibility: patch.visibility ?? before.visibility,
    entry: patch.entry ?? before.entry,
    types: patch.types ?? before.types,
    platforms: patch.platforms ?? before.platforms,
    webRequired: patch.web_required ?? before.webRequired,
    entriesPerPerson: patch.entries_per_person ?? before.entriesPerPerson,
    madeDuring: patch.made_during ?? before.madeDuring,
    voters: patch.voters ?? before.voters,
    criteria: patch.criteria ? parseCriteria(patch.criteria, issues) : before.criteria,
    mustPlay: patch.must_play ?? before.mustPlay,
    minRatings: patch.min_ratings ?? before.minRatings,
  }
  issues.push(...findTimeFaults(before, after, now))
  if (issues.length > 0) throw invalidFields(issues)
  return after
}

function parseTime(text: string | null | undefined): Date | undefined {
  return text === undefined || text === null ? undefined : new Date(text)
}

function parseCriteria(sent: NonNullable<JamPatch['criteria']>, issues: Issue[]): Criterion[] {
  const names = new Set<string>()
  const parsed = sent.map(({ name: sentName, text = '', primary = false }, index) => {
    const at = `criteria.${index}`
    const name = parseName(sentName, CRITERION_NAME_MAX)
    if (name === null) issues.push(issueAt(`${at}.name`, `must be ${describeName(CRITERION_NAME_MAX)}.`))
    else if (names.has(name.toLowerCase()))
      issues.push(issueAt(`${at}.name`, 'must differ from the names of the other criteria.'))
    else names.add(name.toLowerCase())
    const what = text.trim()
    if (hasUnfitCharacter(what) || countCharacters(what) > CRITERION_TEXT_MAX)
      issues.push(
        issueAt(
          `${at}.text`,
          `must be one line of at most ${CRITERION_TEXT_MAX} characters, without control characters.`,
        ),
      )
    return { name: name ?? '', text: what, primary }
  })
  if (parsed.filter(({ primary }) => primary).length > 1)
    issues.push(issueAt('criteria', 'must have at most one that is primary.'))
  return parsed
}

/** Bounds between the times, which are looked at when one of them, the grace or the visibility is changed. */
function findTimeFaults(before: JamValues, after: JamValues, now: Date): Issue[] {
  const { startsAt, endsAt, votingEndsAt } = after
  const isOpened = before.visibility === 'draft' && after.visibility !== 'draft'
  const isMoved = isOpened || after.graceMinutes !== before.graceMinutes || !haveSameTimes(before, after)
  if (!isMoved) return []
  for (const [path, time] of [
    ['starts_at', startsAt],
    ['ends_at', endsAt],
    ['voting_ends_at', votingEndsAt ?? endsAt],
  ] as const)
    if (Number.isNaN(time.getTime())) return [issueAt(path, 'must be a date and time.')]
  const issues: Issue[] = []
  const length = endsAt.getTime() - startsAt.getTime()
  if (startsAt < EPOCH || startsAt.getTime() > now.getTime() + START_DAYS_MAX * DAY_MS)
    issues.push(issueAt('starts_at', 'must be at most three years ahead.'))
  if (length < JAM_HOURS_MIN * HOUR_MS || length > JAM_DAYS_MAX * DAY_MS)
    issues.push(issueAt('ends_at', `must be ${JAM_HOURS_MIN} hour to ${JAM_DAYS_MAX} days after the start.`))
  else if (endsAt <= now && (isOpened || +endsAt !== +before.endsAt))
    issues.push(issueAt('ends_at', 'must be in the future.'))
  if (votingEndsAt) {
    const isTooEarly = +votingEndsAt < +computeGraceEnd(after) + JAM_HOURS_MIN * HOUR_MS
    if (isTooEarly || +votingEndsAt > +endsAt + VOTING_DAYS_MAX * DAY_MS)
      issues.push(
        issueAt(
          'voting_ends_at',
          `must be at least ${JAM_HOURS_MIN} hour after the end and its grace, and at most ${VOTING_DAYS_MAX} days after the end.`,
        ),
      )
  }
  return issues
}

function haveSameTimes(one: JamValues, other: JamValues): boolean {
  return (
    +one.startsAt === +other.startsAt &&
    +one.endsAt === +other.endsAt &&
    one.votingEndsAt?.getTime() === other.votingEndsAt?.getTime()
  )
}

/** Drafts never start, so that a host who is late can still prepare one. */
export function hasStarted({ visibility, startsAt }: JamRow, now: Date): boolean {
  return visibility !== 'draft' && now >= startsAt
}

/** The names that the API has for what differs. */
export function listDifferences(before: JamValues, after: JamValues): string[] {
  const names = Object.keys(NEW_JAM) as (keyof JamValues)[]
  return names
    .filter((name) => !Bun.deepEquals(before[name], after[name]))
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

const CHANGEABLE = new Set(['text', 'ends_at', 'voting_ends_at'])

/** After the start only the text changes, and ends move later. Throws 4121 for all else. */
export function requireAllowed(jam: JamRow, after: JamValues, slug: string, now: Date): void {
  const refuse = (message: string) => jamClosed(jam, 'edit', now, message)
  const differences = listDifferences(jam, after)
  const fixed = differences.filter((name) => !CHANGEABLE.has(name))
  if (slug !== jam.slug) fixed.push('slug')
  if (fixed.length > 0)
    throw refuse(
      `The jam has started: only its text, cover, hosts and judges change, and its ends move later. These stay as they are: ${fixed.join(', ')}.`,
    )
  if (differences.includes('ends_at')) {
    if (now >= jam.endsAt) throw refuse('The jam has ended, so its end stays as it is.')
    if (after.endsAt < jam.endsAt) throw refuse('The jam has started: its end can only move later.')
  }
  if (differences.includes('voting_ends_at')) {
    if (!jam.votingEndsAt || !after.votingEndsAt)
      throw refuse('The jam has started: whether its entries are ranked stays as it is.')
    if (now >= jam.votingEndsAt) throw refuse('The voting has ended, so its end stays as it is.')
    if (after.votingEndsAt < jam.votingEndsAt)
      throw refuse('The jam has started: the end of the voting can only move later.')
  }
}

/** The lines that the page of the jam shows under Changes. */
export function describeChanges(before: JamValues, after: JamValues): string[] {
  const lines: string[] = []
  if (after.text !== before.text) lines.push('The text was changed.')
  if (+after.endsAt !== +before.endsAt)
    lines.push(`The end moved from ${tellTime(before.endsAt)} to ${tellTime(after.endsAt)}.`)
  if (before.votingEndsAt && after.votingEndsAt && +after.votingEndsAt !== +before.votingEndsAt)
    lines.push(
      `The end of the voting moved from ${tellTime(before.votingEndsAt)} to ${tellTime(after.votingEndsAt)}.`,
    )
  return lines
}
