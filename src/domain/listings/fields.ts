import { ACCESSIBILITY, ACCESSIBILITY_LABELS } from './accessibility.ts'
import type { Field, TaxonomyField } from './field-kinds.ts'
import { LANGUAGES_MAX, type LanguageSupport } from './languages.ts'
import { ASSET_TYPES, LICENSE_KINDS, STATUSES, TYPE_NAMES } from './listing.ts'
import type { Requirements } from './requirements.ts'
import { ENGINES_MAX, TAGS_MAX, TAGS_MIN } from './slugs.ts'

export const GENRES = [
  'action',
  'adventure',
  'arcade',
  'card',
  'casual',
  'fighting',
  'horror',
  'idle',
  'management',
  'platformer',
  'puzzle',
  'racing',
  'rhythm',
  'roguelike',
  'rpg',
  'sandbox',
  'shooter',
  'simulation',
  'sports',
  'stealth',
  'strategy',
  'survival',
  'tower-defense',
  'visual-novel',
  'educational',
  'tool',
  'utility',
  'other',
] as const
export type Genre = (typeof GENRES)[number]
export const GENRES_MAX = 3

export const TONES = [
  'cozy',
  'dark',
  'funny',
  'relaxing',
  'tense',
  'wholesome',
  'weird',
  'serious',
  'chaotic',
] as const
const TONES_MAX = 3

export const INPUTS = ['keyboard_mouse', 'gamepad', 'touch', 'vr', 'motion'] as const
export type Input = (typeof INPUTS)[number]
export const INPUT_LABELS = {
  keyboard_mouse: 'keyboard and mouse',
  gamepad: 'gamepad',
  touch: 'touch',
  vr: 'VR',
  motion: 'motion',
} as const satisfies Record<Input, string>

export const SESSION_BUCKETS = ['15m', '1h', '3h', 'endless'] as const
export type SessionBucket = (typeof SESSION_BUCKETS)[number]
export const SESSION_LABELS = {
  '15m': '15 minutes',
  '1h': '1 hour',
  '3h': '3 hours',
  endless: 'Endless',
} as const satisfies Record<SessionBucket, string>

export const NETS = ['offline', 'local', 'online', 'local_online'] as const
export type Net = (typeof NETS)[number]
export const NET_LABELS = {
  offline: 'Offline',
  local: 'Local',
  online: 'Online',
  local_online: 'Local and online',
} as const satisfies Record<Net, string>

const PLAYERS_LEAST = 1
const PLAYERS_MOST = 64

export const CONTENT_WARNINGS = [
  'violence',
  'gore',
  'sexual',
  'nudity',
  'language',
  'drugs',
  'gambling',
  'horror',
  'flashing_lights',
] as const
export type ContentWarning = (typeof CONTENT_WARNINGS)[number]

export const AUTHORSHIPS = ['human', 'human_agent', 'agent_heavy'] as const
type Authorship = (typeof AUTHORSHIPS)[number]

export const AUTHORSHIP_LABELS = {
  human: 'made by people',
  human_agent: 'people with AI agents',
  agent_heavy: 'mostly AI agents',
} as const satisfies Record<Authorship, string>

const AUTHORSHIP_CREDIT_MAX = 120

/** Parts made with generative AI. */
export const AI_USES = ['art', 'audio', 'code', 'text', 'voice', 'runtime'] as const

/** What is checked like any other input. The order is that of forms. */
const BASICS = {
  name: { kind: 'line', label: 'Name', isRequired: true },
  vanity_name: { kind: 'line', label: 'Address', isRequired: true },
  asset_type: {
    kind: 'choice',
    values: ASSET_TYPES,
    label: 'Type',
    labels: TYPE_NAMES,
    isRequired: true,
    facet: {
      include: ['asset_type', 'Types of listings.', 'game', 'mod'],
      exclude: ['exclude_types', 'None of these types.', 'mod'],
    },
  },
  status: { kind: 'choice', values: STATUSES, label: 'Status' },
  tagline: { kind: 'line', label: 'Tagline' },
  description: { kind: 'area', label: 'Description' },
  website: { kind: 'line', label: 'Website' },
  license_kind: {
    kind: 'choice',
    values: LICENSE_KINDS,
    label: 'Licence',
    facet: { include: ['license', 'One licence kind.', 'cc0'], isSingle: true },
  },
  adult: { kind: 'flag', label: 'Adult content', inWords: 'adult' },
  indexable: { kind: 'flag', label: 'Search engines may list it', inWords: 'indexable' },
} as const satisfies Record<string, Field>

/** What is checked by `parseTaxonomy`, with an error of its own. The order is that of forms. */
export const TAXONOMY = {
  genres: {
    kind: 'choices',
    values: GENRES,
    label: 'Genres',
    max: GENRES_MAX,
    section: 'taxonomy',
    facet: {
      include: ['genres', 'Any of these genres.', 'puzzle'],
      exclude: ['exclude_genres', 'None of these genres.', 'horror'],
    },
  },
  tags: {
    kind: 'slugs',
    label: 'Tags',
    max: TAGS_MAX,
    placeholder: 'cozy, lighthouse, hand-drawn',
    hint: `${TAGS_MIN} to ${TAGS_MAX} tags with commas between them; spaces become dashes.`,
    section: 'taxonomy',
    facet: {
      include: ['tags', 'Any of these tags, set by the developer or shown by the community.', 'cozy'],
      exclude: ['exclude_tags', 'None of these tags, including tags of the community.', 'gore'],
    },
  },
  tone: {
    kind: 'choices',
    values: TONES,
    label: 'Tone',
    max: TONES_MAX,
    section: 'taxonomy',
    facet: {
      include: ['tone', 'Any of these tones.', 'cozy'],
      exclude: ['exclude_tone', 'None of these tones.', 'dark'],
    },
  },
  inputs: {
    kind: 'choices',
    values: INPUTS,
    label: 'Inputs',
    labels: INPUT_LABELS,
    section: 'play',
    facet: {
      include: ['inputs', 'Can be played with any of these.', 'gamepad'],
      exclude: ['exclude_inputs', 'Is not played with any of these.', 'vr'],
    },
  },
  session_bucket: {
    kind: 'choice',
    values: SESSION_BUCKETS,
    label: 'Length of a session',
    labels: SESSION_LABELS,
    section: 'play',
    facet: { legend: 'Session', include: ['session_bucket', 'How long a session takes.', '15m'] },
  },
  net: {
    kind: 'choice',
    values: NETS,
    label: 'Multiplayer',
    labels: NET_LABELS,
    section: 'play',
    facet: { include: ['net', 'How it is played together.', 'online'] },
  },
  players_min: {
    kind: 'number',
    label: 'Fewest players',
    min: PLAYERS_LEAST,
    max: PLAYERS_MOST,
    hint: `${PLAYERS_LEAST} to ${PLAYERS_MOST}.`,
    section: 'play',
  },
  players_max: {
    kind: 'number',
    label: 'Most players',
    min: PLAYERS_LEAST,
    max: PLAYERS_MOST,
    hint: `${PLAYERS_LEAST} to ${PLAYERS_MOST}, not below the fewest.`,
    section: 'play',
  },
  engines: {
    kind: 'slugs',
    label: 'Engines',
    max: ENGINES_MAX,
    placeholder: 'godot',
    hint: `Up to ${ENGINES_MAX}, with commas between them.`,
    section: 'play',
    facet: {
      legend: 'Engine',
      include: ['engine', 'Made with this engine, or declared compatible with it.', 'godot'],
    },
  },
  content_warnings: {
    kind: 'choices',
    values: CONTENT_WARNINGS,
    label: 'Content warnings',
    hint: 'Players can leave out what they do not want to see.',
    section: 'taxonomy',
    facet: { include: null, exclude: ['exclude_warnings', 'None of these content warnings.', 'violence'] },
  },
  accessibility: {
    kind: 'choices',
    values: ACCESSIBILITY,
    label: 'Accessibility',
    hint: 'Tick what the whole game keeps to. Players filter by it.',
    labels: ACCESSIBILITY_LABELS,
    section: 'access',
    facet: {
      include: ['accessibility', 'Has any of these accessibility features.', 'remappable_controls'],
      exclude: ['exclude_accessibility', 'Has none of these accessibility features.', 'one_handed'],
    },
  },
  languages: {
    kind: 'languages',
    label: 'Languages',
    max: LANGUAGES_MAX,
    facet: {
      include: ['languages', 'Has any of these languages, as BCP 47 tags.', 'pt-BR'],
      exclude: ['exclude_languages', 'Has none of these languages.', 'de'],
    },
  },
  requirements: { kind: 'requirements', label: 'System requirements' },
  authorship: {
    kind: 'choice',
    values: AUTHORSHIPS,
    label: 'Made by',
    labels: AUTHORSHIP_LABELS,
    section: 'authors',
    facet: { include: ['authorship', 'Who made it.', 'human'] },
  },
  authorship_credit: {
    kind: 'line',
    label: 'Credit',
    max: AUTHORSHIP_CREDIT_MAX,
    hint: 'Plain text.',
    section: 'authors',
  },
  ai_uses: {
    kind: 'choices',
    values: AI_USES,
    label: 'Made with generative AI',
    inWords: 'parts made with generative AI',
    hint: 'Tick every part.',
    section: 'authors',
    facet: {
      legend: 'AI use',
      include: ['ai_uses', 'Discloses generative AI for any of these parts.', 'art'],
      exclude: ['exclude_ai_uses', 'No generative AI for any of these parts.', 'voice'],
    },
  },
} as const satisfies Record<string, TaxonomyField>

/** The fields of a listing that its developer edits as a form. */
export const FIELDS = { ...BASICS, ...TAXONOMY }

export type TaxonomyName = keyof typeof TAXONOMY

type ValueOf<Described extends Field> = Described extends { kind: 'choice'; values: readonly (infer Value)[] }
  ? Value | null
  : Described extends { kind: 'choices'; values: readonly (infer Value)[] }
    ? Value[]
    : Described extends { kind: 'slugs' }
      ? string[]
      : Described extends { kind: 'number' }
        ? number | null
        : Described extends { kind: 'languages' }
          ? LanguageSupport[]
          : Described extends { kind: 'requirements' }
            ? Requirements
            : string | null

export type TaxonomyValues = { [Name in TaxonomyName]: ValueOf<(typeof TAXONOMY)[Name]> }

/** One thing for each field of a table. */
export function mapFields<Name extends string, Of, Result>(
  fields: Readonly<Record<Name, Of>>,
  toResult: (field: Of, name: Name) => Result,
): Record<Name, Result> {
  const entries = Object.entries(fields) as [Name, Of][]
  return Object.fromEntries(entries.map(([name, field]) => [name, toResult(field, name)])) as Record<
    Name,
    Result
  >
}
