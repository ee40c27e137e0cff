import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import {
  CRITERIA_MAX,
  CRITERION_NAME_MAX,
  CRITERION_TEXT_MAX,
  ENTRIES_PER_PERSON_MAX,
  GRACE_MINUTES_MAX,
  JAM_ENTRIES,
  JAM_HOSTS_MAX,
  JAM_JUDGES_MAX,
  JAM_SLUG_MAX,
  JAM_STATES,
  JAM_TAGLINE_MAX,
  JAM_TEXT_MAX,
  JAM_THEME_MAX,
  JAM_TITLE_MAX,
  JAM_VISIBILITIES,
  JAM_VOTERS,
  MIN_RATINGS_MAX,
} from '../../../domain/jams.ts'
import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { Integer, Joined, Moment, OneOf, PageQuery, Uid, writable } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'

const closed = { additionalProperties: false }

const Slug = t.String({
  pattern: `^[a-z0-9](?:[a-z0-9-]{0,${JAM_SLUG_MAX - 2}}[a-z0-9])?$`,
  description: 'The last part of its address; from the title if it is not sent.',
  examples: ['lantern-jam-2026'],
  error: `must have 1 to ${JAM_SLUG_MAX} characters of a-z, 0-9 and -, and start and end with a letter or digit`,
})
/** The service trims and checks what is one line. */
const line = (max: number, description: string, example: string) =>
  t.String({
    maxLength: max * 2,
    description: `${description}, at most ${max} characters.`,
    examples: [example],
  })

const Criterion = t.Object(
  {
    name: line(CRITERION_NAME_MAX, 'One line', 'Fun'),
    text: t.Optional(line(CRITERION_TEXT_MAX, 'What to look at', 'Did you want to go on?')),
    primary: t.Optional(t.Boolean({ description: 'Decides the overall rank; at most one is primary.' })),
  },
  closed,
)

export const JamPerson = t.Object({ uid: Uid, ...personFields })
export type JamPerson = typeof JamPerson.static

/** A username, or a person as answers show them. */
const PersonRef = t.Union([
  t.String(),
  t.Object({ ...t.Partial(JamPerson).properties, username: t.String() }, closed),
])
export type PersonRef = typeof PersonRef.static

const times = {
  starts_at: Moment,
  ends_at: t.String({ format: 'date-time', description: '1 hour to 90 days after the start.' }),
}

const fields = {
  slug: Slug,
  tagline: line(JAM_TAGLINE_MAX, 'One line', 'Make a game about light in a weekend'),
  text: t.String({ maxLength: JAM_TEXT_MAX, description: 'Rules and all else, in Markdown.' }),
  theme: t.Nullable(
    t.String({
      maxLength: JAM_THEME_MAX * 2,
      description: `One line of at most ${JAM_THEME_MAX} characters. Null leaves it as it is.`,
    }),
  ),
  theme_hidden: t.Boolean({ description: 'Whether only hosts see the theme before the start.' }),
  voting_ends_at: t.Nullable(
    t.String({
      format: 'date-time',
      description: '1 hour to 60 days after the end and its grace; null: entries are not ranked.',
    }),
  ),
  grace_minutes: Integer({
    minimum: 0,
    maximum: GRACE_MINUTES_MAX,
    description: 'How long uploads may take that were running at the end.',
  }),
  visibility: OneOf(JAM_VISIBILITIES),
  entry: OneOf(JAM_ENTRIES, { description: 'invited: joining needs a code.' }),
  types: t.Array(OneOf(ASSET_TYPES), { uniqueItems: true, description: 'Empty: all.' }),
  platforms: t.Array(OneOf(OPERATING_SYSTEMS), { uniqueItems: true, description: 'Empty: all.' }),
  web_required: t.Boolean({ description: 'Whether entries must run in the browser.' }),
  entries_per_person: Integer({ minimum: 1, maximum: ENTRIES_PER_PERSON_MAX }),
  made_during: t.Boolean({ description: 'Whether listings must be created after the start.' }),
  voters: OneOf(JAM_VOTERS),
  criteria: t.Array(Criterion, { minItems: 1, maxItems: CRITERIA_MAX }),
  must_play: t.Boolean({ description: 'Whether one rates only what one played or downloaded.' }),
  min_ratings: Integer({
    minimum: 1,
    maximum: MIN_RATINGS_MAX,
    description: 'Entries with fewer ratings are not ranked.',
  }),
  hosts: t.Array(PersonRef, {
    maxItems: JAM_HOSTS_MAX,
    description: 'Usernames; whoever makes the jam is always a host of it.',
  }),
  judges: t.Array(PersonRef, { maxItems: JAM_JUDGES_MAX, description: 'Usernames.' }),
}
const title = line(JAM_TITLE_MAX, 'One line', 'Lantern Jam 2026')
const optional = t.Partial(t.Object(fields)).properties

export const JamInput = t.Object({ title, ...times, ...optional }, closed)
export type JamInput = typeof JamInput.static

/** Fields that are not sent stay as they are. */
export const JamPatch = t.Object(t.Partial(JamInput).properties, closed)
export type JamPatch = typeof JamPatch.static

const shown = {
  uid: Uid,
  slug: t.String({ examples: ['lantern-jam-2026'] }),
  url: t.String({ format: 'uri', examples: ['https://store.example/jams/lantern-jam-2026'] }),
  title: t.String(),
  tagline: t.String(),
  cover: t.Nullable(t.String({ format: 'uri', examples: ['https://store.example/media/0f3a.webp'] })),
  theme: t.Nullable(t.String({ description: 'Null while it is hidden.' })),
  theme_hidden: t.Boolean(),
  state: OneOf(JAM_STATES),
  starts_at: Moment,
  ends_at: Moment,
  voting_ends_at: t.Nullable(Moment),
  results_published_at: t.Nullable(Moment),
  visibility: OneOf(JAM_VISIBILITIES),
  entry: OneOf(JAM_ENTRIES),
  participants: Integer({ minimum: 0 }),
  entries: Integer({ minimum: 0 }),
  hosts: t.Array(JamPerson),
}

/** What lists show. */
export const JamSummary = t.Object(shown, { $id: 'JamSummary' })
export type JamSummary = typeof JamSummary.static

const JamChange = t.Object({ text: t.String(), at: Moment })

const rest = {
  text: t.String({ description: 'As it was written.' }),
  html: t.String(),
  grace_minutes: Integer(),
  types: t.Array(OneOf(ASSET_TYPES)),
  platforms: t.Array(OneOf(OPERATING_SYSTEMS)),
  web_required: t.Boolean(),
  entries_per_person: Integer(),
  made_during: t.Boolean(),
  voters: OneOf(JAM_VOTERS),
  criteria: t.Array(t.Object({ name: t.String(), text: t.String(), primary: t.Boolean() })),
  must_play: t.Boolean(),
  min_ratings: Integer(),
  judges: t.Array(JamPerson),
  changes: t.Array(JamChange, { description: 'What changed after the start, newest first.' }),
  created_at: Moment,
  updated_at: Moment,
}

export const Jam = t.Object({ ...shown, ...rest }, { $id: 'Jam' })
export type Jam = typeof Jam.static

/** With what the person who asks is in it. */
export const OwnJam = Joined([
  Jam,
  t.Object({
    joined: t.Boolean(),
    is_host: t.Boolean(),
    is_judge: t.Boolean(),
    results_held: t.Boolean({ description: 'Whether hosts hold the results back.' }),
  }),
])
export type OwnJam = typeof OwnJam.static

/** The same without what is read or rendered besides its row: enough for most pages of a jam. */
export const JamHead = t.Omit(OwnJam, ['participants', 'entries', 'hosts', 'judges', 'html', 'changes'])
export type JamHead = typeof JamHead.static

/** Accepts the read-only fields too, so that a jam that was read can be sent back. */
export const JamEdit = writable(JamPatch, OwnJam)

export const JamsQuery = Joined([
  PageQuery,
  t.Object({
    state: t.Optional(t.String({ description: `One of ${JAM_STATES.join(', ')}; all by default.` })),
  }),
])
