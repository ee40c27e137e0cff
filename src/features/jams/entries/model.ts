import { t } from 'elysia'

import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { NOTE_MAX } from '../../../domain/jams.ts'
import { ENTRY_FAULTS, ENTRY_FILES_MAX, ENTRY_SORTS, PLAYED_FILTERS } from '../../../domain/jams/entries.ts'
import { Integer, Moment, OneOf, Strict, Uid, writable } from '../../../http/input/schema.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import { Card } from '../../catalog/pages/model.ts'

export const ENTRY_TEXT_MAX = 100
export const ENTRY_WORDS_MAX = 6
/** A late link's code and spaces around it. */
const CODE_MAX = 64

const JamRef = t.Object({ uid: Uid, slug: t.String(), title: t.String() })

export const EntryFile = t.Object({
  build_id: Uid,
  version: t.String({ examples: ['1.2.0'] }),
  file_uid: Uid,
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  filename: t.String(),
  size: Integer({ minimum: 0 }),
  playable: t.Boolean({ description: 'Whether it opens in a browser.' }),
})
export type EntryFile = typeof EntryFile.static

const EntryBuild = t.Object({ build_id: Uid, version: EntryFile.properties.version, file_uid: Uid })

/** An entry as everyone sees it who sees the jam. */
export const Entry = t.Object(
  {
    game: Card,
    note: t.String({ description: 'For voters, as it was written.' }),
    build: t.Nullable(EntryBuild, {
      description:
        'The version of the jam, for a browser where there is one; null until it is fixed at the end.',
    }),
    files: t.Array(EntryFile, { maxItems: ENTRY_FILES_MAX, description: 'All files of that version.' }),
    late: t.Boolean({ description: 'Entered by a late link.' }),
    disqualified: t.Nullable(t.String({ description: 'Why it is not ranked.' })),
  },
  { $id: 'JamEntry' },
)
export type Entry = typeof Entry.static

export const Entries = t.Object({
  items: t.Array(Entry),
  total: Integer({ minimum: 0 }),
  limit: Integer({ minimum: 1, maximum: PAGE_SIZE_MAX }),
  offset: Integer({ minimum: 0 }),
})
export type Entries = typeof Entries.static

/** Declared as texts, so that invalid values are clamped or replaced by the default and never rejected. */
export const EntriesQuery = t.Object({
  sort: t.Optional(
    t.String({
      description: `${ENTRY_SORTS.join(', ')}; newest by default. random stays the same for one visitor all day.`,
      examples: ['random'],
    }),
  ),
  q: t.Optional(t.String({ description: 'Words of the name, the tagline or the note.' })),
  os: t.Optional(t.String({ description: OPERATING_SYSTEMS.join(', '), examples: ['web'] })),
  played: t.Optional(
    t.String({
      description: `${PLAYED_FILTERS.join(', ')}: by the player whose key was sent, in this jam.`,
      examples: ['not_yet'],
    }),
  ),
  limit: t.Optional(
    t.String({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} by default.`, examples: ['20'] }),
  ),
  offset: t.Optional(t.String({ description: 'How many to leave out, 0 by default.', examples: ['20'] })),
})

export const EntryInput = Strict({
  note: t.Optional(
    t.String({
      // Two code units for each character; the service counts characters.
      maxLength: NOTE_MAX * 2,
      description: `For voters, at most ${NOTE_MAX} characters; empty if left out.`,
    }),
  ),
  code: t.Optional(
    t.String({ maxLength: CODE_MAX, description: 'Of a late link, which admits one entry after the end.' }),
  ),
})
export type EntryInput = typeof EntryInput.static

/** An entry as its team sees it. */
export const EntryState = t.Object({
  jam: JamRef,
  game_uid: Uid,
  entered: t.Boolean(),
  note: t.String(),
  submitted_at: t.Nullable(Moment, { description: 'When the request arrived, by the clock of the store.' }),
  late: t.Boolean(),
  disqualified: t.Nullable(t.String()),
  missing: t.Array(OneOf(ENTRY_FAULTS), { description: 'What the listing lacks to be entered.' }),
  open: t.Boolean({ description: 'Whether listings can be entered and notes changed now.' }),
  opens_at: Moment,
  closes_at: Moment,
  pinned_at: t.Nullable(Moment, { description: 'When the versions of all entries were fixed.' }),
  files: t.Array(EntryFile, { maxItems: ENTRY_FILES_MAX }),
})
export type EntryState = typeof EntryState.static

export const EntryEdit = writable(EntryInput, EntryState)
