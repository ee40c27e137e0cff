import { type AssetType, PARENT_RULES } from '../../../domain/listing.ts'
import { TAGS_MAX, TAGS_MIN } from '../../../domain/slugs.ts'
import { countCharacters } from '../../../lib/characters.ts'
import { textOfMarkdown } from '../../../lib/markdown.ts'
import type { Finding, LintReport } from './model.ts'
import type { PageFacts } from './queries.ts'

const DESCRIPTION_MIN = 200
const SCREENSHOTS_MIN = 3
const GENRE_TYPES = new Set<AssetType>(['game', 'application'])
const LICENSED_TYPES = new Set<AssetType>(['game_asset', 'dev_asset'])

type Rule = readonly [code: string, field: string, message: string, fails: (facts: PageFacts) => boolean]

const ERRORS: readonly Rule[] = [
  ['name_missing', 'name', 'Give the page a name.', ({ game }) => game.name.trim() === ''],
  ['tagline_missing', 'tagline', 'Say in one line what this is.', ({ game }) => game.tagline.trim() === ''],
  [
    'description_short',
    'description',
    `Describe it in at least ${DESCRIPTION_MIN} characters of text.`,
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
    'Name the game or application this belongs to.',
    ({ game }) =>
      PARENT_RULES[game.assetType] === 'required' &&
      game.parentUid === null &&
      game.parentExternalName === null,
  ],
  [
    'license_missing',
    'license_kind',
    'Choose a licence, so that others know what they may do with it.',
    ({ game }) => LICENSED_TYPES.has(game.assetType) && game.licenseKind === null,
  ],
  [
    'warnings_missing',
    'content_warnings',
    'An adult page names at least one content warning.',
    ({ game }) => game.adult && game.contentWarnings.length === 0,
  ],
  [
    'owner_unverified',
    'owner',
    'The owner has to confirm their e-mail address first.',
    ({ ownerVerified }) => !ownerVerified,
  ],
]

const WARNINGS: readonly Rule[] = [
  ['no_stable_build', 'builds', 'There is no stable build to download yet.', hasNoPlatform],
  [
    'few_screenshots',
    'gallery',
    `Players like to see at least ${SCREENSHOTS_MIN} screenshots.`,
    ({ screenshots }) => screenshots < SCREENSHOTS_MIN,
  ],
  ['no_thumbnail', 'thumbnail', 'Lists show the cover instead.', ({ thumbnails }) => thumbnails === 0],
  [
    'no_session_bucket',
    'session_bucket',
    'Say how long a session takes.',
    ({ game }) => game.sessionBucket === null,
  ],
  [
    'no_players',
    'players_min',
    'Say how many can play.',
    ({ game }) => game.playersMin === null && game.playersMax === null,
  ],
  ['no_inputs', 'inputs', 'Say what it is played with.', ({ game }) => game.inputs.length === 0],
  ['no_platforms', 'platforms', 'No system has a clean build yet.', hasNoPlatform],
  ['no_trailer', 'trailer_url', 'Link a trailer in the press kit.', ({ trailerUrl }) => !trailerUrl],
  [
    'no_authorship',
    'authorship',
    'Say who made it: people or AI agents.',
    ({ game }) => game.authorship === null,
  ],
]

/** Judges a page as it stands. */
export function checkPage(facts: PageFacts): LintReport {
  const errors = findIn(ERRORS, facts)
  return { ok: errors.length === 0, errors, warnings: findIn(WARNINGS, facts) }
}

function findIn(rules: readonly Rule[], facts: PageFacts): Finding[] {
  return rules.flatMap(([code, field, message, fails]) => (fails(facts) ? [{ code, field, message }] : []))
}

function hasNoPlatform({ platforms }: PageFacts): boolean {
  return platforms.length === 0
}
