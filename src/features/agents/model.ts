import type { TProperties } from '@sinclair/typebox'
import { t } from 'elysia'

import { JAM_STATES } from '../../domain/jams.ts'
import { JAM_REF_MAX } from '../../domain/jams/entries.ts'
import { VISIBILITIES } from '../../domain/listings/visibility.ts'
import { Integer, OneOf, Strict } from '../../http/input/schema.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../lib/paging.ts'
import { ReportInput } from '../bugs/reports/model.ts'
import { BugReporter, BugReporterInput } from '../bugs/settings/model.ts'
import { TicketPatch, TicketQuery } from '../bugs/tickets/model.ts'
import { Channel, Pending } from '../builds/channels/model.ts'
import { Listing } from '../catalog/pages/model.ts'
import { SearchParameterList } from '../catalog/search/model.ts'
import { PostInput } from '../community/posts/model.ts'
import { EntryInput } from '../jams/entries/model.ts'
import { LintReport } from '../listings/check/model.ts'
import { PressKit } from '../listings/press/model.ts'
import { StoreLinks } from '../listings/store-links/model.ts'

const NAME_CHARACTERS_MAX = 64

const Input = <Properties extends TProperties>(properties: Properties) => Strict(properties)

const Name = (description: string) => t.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX, description })

const game_id = Name('The uid of a listing, or its name in web addresses.')
const build_id = Name('The id of a build, from list_builds.')
const channel = Name('A channel, such as stable, beta or dev.')
const app = t.Optional(Name('The app of the listing; main unless given.'))
const paging = {
  page: t.Optional(Integer({ minimum: 1, description: 'From 1.' })),
  page_size: t.Optional(
    Integer({
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      description: `Items per page; ${PAGE_SIZE_DEFAULT} unless given.`,
    }),
  ),
}

/** The parameters of the search route, with numbers and booleans in place of texts. */
export const SearchInput = Input({
  ...t.Omit(SearchParameterList, ['followed', 'wished']).properties,
  players: t.Optional(Integer({ minimum: 1, description: 'Can be played by this many.' })),
  playable: t.Optional(t.Boolean({ description: 'true: can be played in the browser.' })),
  show_hidden: t.Optional(
    t.Boolean({ description: 'Also find listings with tags that the person always hides.' }),
  ),
  ...paging,
})

export const JamsInput = Input({ state: t.Optional(OneOf(JAM_STATES)), ...paging })
export const JamInput = Input({ jam: Name('The uid of a jam, or the end of its web address.') })
export const ProjectsInput = Input(paging)
export const GameInput = Input({ game_id })
export const GamePageInput = Input({ game_id, ...paging })
export const BuildInput = Input({ game_id, build_id })
export const PromotionInput = Input({ game_id, build_id, channel, app })
export const RollbackInput = Input({ game_id, channel, app })
export const SymbolsInput = Input({ game_id, build_id, ...paging })
export const SymbolInput = Input({
  game_id,
  build_id,
  uid: Name('The uid of the symbols, from list_symbols.'),
})
export const ImageInput = Input({ game_id, uid: Name('The uid of the image, from list_images.') })
export const CrashesInput = Input({
  game_id,
  build_id: t.Optional({ ...build_id, description: 'Only kinds of crashes with a report of this build.' }),
  ...paging,
})

export const TicketsInput = Input({ game_id, status: TicketQuery.properties.status, ...paging })
export const TicketInput = Input({
  game_id,
  ticket_uid: Name('The uid of the ticket, from list_bug_tickets.'),
  ...TicketPatch.properties,
})
export const ReporterInput = Input({
  game_id,
  ...t.Pick(BugReporterInput, ['enabled', 'daily_cap', 'webhook_urls']).properties,
})
/** With `approval` while new webhooks wait for the owner. */
export const ChangedReporter = t.Object({
  ...BugReporter.properties,
  approval: t.Optional(Pending.properties.approval),
})
export const BugInput = Input({ game_id, ...ReportInput.properties })

export const DraftInput = Input({
  game_id,
  post_uid: t.Optional(Name('The uid of a draft to change, from write_post; a new draft unless given.')),
  ...t.Partial(t.Pick(PostInput, ['title', 'markdown', 'kind'])).properties,
})
export const PostRefInput = Input({ game_id, post_uid: Name('The uid of the draft, from write_post.') })

export const JamEntryInput = Input({
  game_id,
  jam: t.String({ minLength: 1, maxLength: JAM_REF_MAX, description: 'The slug or uid of the jam.' }),
  note: EntryInput.properties.note,
})

export const Nothing = t.Object({})

/** The public listing; the person's own projects also before they are public, with what only their makers see. */
export const AgentListing = t.Object({
  ...Listing.properties,
  visibility: OneOf(VISIBILITIES),
  lint: t.Optional(LintReport),
  press: t.Optional(PressKit),
  stores: t.Optional(StoreLinks.properties.stores),
})

/** Stable is pending until its owner has confirmed. The object keyword is required at the top of an output. */
export const Promoted = t.Union([Channel, Pending], { type: 'object' })
