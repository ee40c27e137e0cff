import { t } from 'elysia'

import { Integer, OneOf, Uid } from '../../../http/input/schema.ts'
import { Settings } from '../link/model.ts'

/** What can be imported, in the order of the report. */
export const GROUPS = ['text', 'taxonomy', 'status', 'images', 'press', 'price', 'age', 'store_link'] as const
export type Group = (typeof GROUPS)[number]

/** Never imported: they do not map to our fields, or come from builds. */
export const NOT_IMPORTED = ['achievements', 'add_on_content', 'operating_systems'] as const

const closed = { additionalProperties: false }

/** Validated by the service, because these errors have a code of their own. */
const Given = (description: string) => t.Optional(t.Unknown({ description }))
const groups = Given(`Any of ${GROUPS.join(', ')}; all by default.`)

const Source = {
  app_id: Given('The app: digits, a number, or the link of its store page.'),
  web_api_key: Given(
    'A publisher key that covers the app: 32 of `0-9A-F`. Not saved unless sign-in is turned on.',
  ),
  game_uid: t.Optional(
    t.Nullable(t.String({ description: 'The listing to import into; a new draft by default.' })),
  ),
  groups,
}

export const PreviewInput = t.Object(Source, closed)
export type PreviewInput = typeof PreviewInput.static

export const ImportInput = t.Object(
  { ...Source, enable_auth: t.Optional(t.Boolean({ description: 'Save the key and turn sign-in on.' })) },
  closed,
)
export type ImportInput = typeof ImportInput.static

export const ResyncInput = t.Object(
  { groups, web_api_key: Given('Without it the saved key is used, while sign-in is on.') },
  closed,
)
export type ResyncInput = typeof ResyncInput.static

const ReportFields = {
  imported: t.Array(t.Object({ field: t.String({ examples: ['genres'] }), value: t.Unknown() })),
  skipped: t.Array(t.Object({ field: t.String({ examples: ['price_cents'] }), reason: t.String() })),
  not_imported: t.Array(OneOf(NOT_IMPORTED)),
}

/** Per field: what was imported, what was not, and why. */
export const Report = t.Object(ReportFields)
export type Report = typeof Report.static
export type Skipped = Report['skipped'][number]

export const Preview = t.Object({
  ...ReportFields,
  screenshots: t.Array(t.Object({ url: t.String(), width: Integer(), height: Integer() })),
  target: t.Object({ game_uid: t.Nullable(Uid) }),
})
export type Preview = typeof Preview.static

export const Imported = t.Object({
  game_uid: Uid,
  vanity_name: t.String(),
  created: t.Boolean(),
  report: Report,
  settings: Settings,
})
export type Imported = typeof Imported.static
