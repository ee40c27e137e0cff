import type { Db, Transaction } from '../../../db/client.ts'
import { fitsEditor, PACKAGE_TYPES } from '../../../domain/listings/editor-packages.ts'
import { type AssetType, PARENT_RULES } from '../../../domain/listings/listing.ts'
import { LAYOUT_FAULTS, LAYOUT_MESSAGES } from '../../../domain/listings/package-layout.ts'
import { TAGS_MAX, TAGS_MIN } from '../../../domain/listings/slugs.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { textOfMarkdown } from '../../../lib/text/markdown.ts'
import { DESCRIPTION_MIN, type Finding, type LintReport } from './model.ts'
import { listFacts, type PageFacts } from './queries.ts'

export async function loadReport(db: Db, gameUid: string): Promise<LintReport> {
  const report = (await loadReportsOf(db, [gameUid])).get(gameUid)
  if (!report) throw new AppError('not_found')
  return report
}

/** For many listings at once, by uid. */
export async function loadReportsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, LintReport>> {
  const facts = await listFacts(db, gameUids)
  return new Map(facts.map((found) => [found.game.uid, checkPage(found)]))
}

/** Throws 4225 with the whole report when the page has errors. */
export async function requirePassing(db: Db, gameUid: string): Promise<void> {
  refuseIf((report) => !report.ok, await loadReport(db, gameUid))
}

/**
 * Changes a locked page. A change to a public page may fix errors, but not add any: then it throws and the
 * transaction is rolled back.
 */
export async function changePage<Result>(
  tx: Transaction,
  game: { uid: string; visibility: Visibility },
  change: () => Promise<Result>,
): Promise<Result> {
  if (game.visibility !== 'public') return await change()
  const before = new Set((await loadReport(tx, game.uid)).errors.map(({ code }) => code))
  const result = await change()
  refuseIf((report) => report.errors.some(({ code }) => !before.has(code)), await loadReport(tx, game.uid))
  return result
}

function refuseIf(fails: (report: LintReport) => boolean, lint: LintReport): void {
  if (!fails(lint)) return
  const codes = lint.errors.map(({ code }) => code).join(', ')
  throw new AppError('listing_check_failed', {
    message: `The listing check found errors: ${codes}. Fix them first.`,
    data: { lint },
  })
}

const SCREENSHOTS_MIN = 3
const GENRE_TYPES = new Set<AssetType>(['game', 'application'])
const LICENSED_TYPES = new Set<AssetType>(['game_asset', 'dev_asset'])

type Rule = readonly [code: string, field: string, message: string, fails: (facts: PageFacts) => boolean]

const ERRORS: readonly Rule[] = [
  ['name_missing', 'name', 'Give the page a name.', ({ game }) => game.name.trim() === ''],
  [
    'tagline_missing',
    'tagline',
    'Add a tagline: one line that says what this is.',
    ({ game }) => game.tagline.trim() === '',
  ],
  [
    'description_short',
    'description',
    `Write a description of at least ${DESCRIPTION_MIN} characters.`,
    ({ game }) => countCharacters(textOfMarkdown(game.description)) < DESCRIPTION_MIN,
  ],
  ['cover_missing', 'cover', 'Upload a cover image.', ({ covers }) => covers === 0],
  [
    'genres_missing',
    'genres',
    'Choose at least one genre.',
    ({ game }) => GENRE_TYPES.has(game.assetType) && game.genres.length === 0,
  ],
  [
    'tags_count',
    'tags',
    `Set ${TAGS_MIN} to ${TAGS_MAX} tags.`,
    ({ game }) => game.tags.length < TAGS_MIN || game.tags.length > TAGS_MAX,
  ],
  [
    'parent_missing',
    'parent',
    'Choose the game or application this belongs to.',
    ({ game }) =>
      PARENT_RULES[game.assetType] === 'required' &&
      game.parentUid === null &&
      game.parentExternalName === null,
  ],
  [
    'license_missing',
    'license_kind',
    'Choose a licence, so that others know how they may use it.',
    ({ game }) => LICENSED_TYPES.has(game.assetType) && game.licenseKind === null,
  ],
  [
    'warnings_missing',
    'content_warnings',
    'Add at least one content warning to an adult page.',
    ({ game }) => game.adult && game.contentWarnings.length === 0,
  ],
  [
    'owner_unverified',
    'owner',
    'The owner of the page has to confirm their e-mail address first.',
    ({ ownerVerified }) => !ownerVerified,
  ],
]

const WARNINGS: readonly Rule[] = [
  ['no_stable_build', 'builds', 'There is no stable build to download yet. Upload one.', hasNoPlatform],
  [
    'few_screenshots',
    'gallery',
    `Add screenshots: players like to see at least ${SCREENSHOTS_MIN}.`,
    ({ screenshots }) => screenshots < SCREENSHOTS_MIN,
  ],
  [
    'no_thumbnail',
    'thumbnail',
    'There is no thumbnail, so lists show the cover.',
    ({ thumbnails }) => thumbnails === 0,
  ],
  [
    'no_session_bucket',
    'session_bucket',
    'Choose how long a session takes.',
    ({ game }) => game.sessionBucket === null,
  ],
  [
    'no_players',
    'players_min',
    'Enter how many players can play.',
    ({ game }) => game.playersMin === null && game.playersMax === null,
  ],
  [
    'no_inputs',
    'inputs',
    'Choose the input devices it is played with.',
    ({ game }) => game.inputs.length === 0,
  ],
  ['no_platforms', 'platforms', 'No operating system has a clean build yet.', hasNoPlatform],
  [
    'no_trailer',
    'trailer_url',
    'Add a video to the page, or a link to a trailer in the press kit.',
    ({ trailerUrl, videos }) => !trailerUrl && videos === 0,
  ],
  ['no_languages', 'languages', 'Say which languages it has.', ({ game }) => game.languages.length === 0],
  [
    'no_accessibility',
    'accessibility',
    'Tick what makes it playable for more people.',
    ({ game }) => GENRE_TYPES.has(game.assetType) && game.accessibility.length === 0,
  ],
  [
    'no_authorship',
    'authorship',
    'Choose who made it: people or AI agents.',
    ({ game }) => game.authorship === null,
  ],
  ...LAYOUT_FAULTS.map((fault): Rule => [
    `package_${fault}`,
    'builds',
    LAYOUT_MESSAGES[fault],
    ({ game, layoutFaults }) => layoutFaults.includes(fault) && fitsEditor(game.engineCompat),
  ]),
  [
    'no_engine_range',
    'engine_compat',
    'Say which versions of the engine it works with. Until then editors of every version list it.',
    ({ game }) => PACKAGE_TYPES.includes(game.assetType) && game.engineCompat.length === 0,
  ],
]

function checkPage(facts: PageFacts): LintReport {
  const errors = findIn(ERRORS, facts)
  return { ok: errors.length === 0, errors, warnings: findIn(WARNINGS, facts) }
}

function findIn(rules: readonly Rule[], facts: PageFacts): Finding[] {
  return rules.flatMap(([code, field, message, fails]) => (fails(facts) ? [{ code, field, message }] : []))
}

function hasNoPlatform({ platforms }: PageFacts): boolean {
  return platforms.length === 0
}
