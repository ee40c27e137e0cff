import { TICKET_STATUSES } from '../../../domain/bugs.ts'
import {
  FIXED_IN_MAX,
  NOTE_MAX,
  type TicketDetails,
  type TicketEvent,
} from '../../../features/bugs/tickets/model.ts'
import { pathOf } from '../../components/card.tsx'
import {
  AreaField,
  FaultSummary,
  FieldGroup,
  PostForm,
  SelectField,
  Submit,
  TextField,
} from '../../kit/form.tsx'
import { Day } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { FactsList, LogPanel } from '../frame/report-parts.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { TICKET_LABELS, TicketBadge } from './bugs-page.tsx'

const SOURCES = { game: 'from the game', store: 'on the store page', agent: 'through a program' } as const

export function TicketPage({ project, state, ticket }: TabProps<{ ticket: TicketDetails }>) {
  const { visit, refused } = state
  const base = `/studio/${project.listing.vanity_name}/bugs`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="bugs"
      notices={{ saved: 'The report is saved.' }}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <p>
        <a href={base}>All reports</a>
      </p>
      <Report ticket={ticket} />
      <ChangeForm {...{ base, state, ticket }} />
      <FieldGroup id="history" title="History">
        {ticket.history.length === 0 ? (
          <p class="quiet">Nothing was changed yet.</p>
        ) : (
          <ul class="records">
            {ticket.history.map((event) => (
              <Event key={event.uid} event={event} />
            ))}
          </ul>
        )}
      </FieldGroup>
      <LogPanel log={ticket.log} />
    </StudioPage>
  )
}

function Report({ ticket }: { ticket: TicketDetails }) {
  const { reporter, source, created_at, client_version, os, arch, build_id, screenshot_url } = ticket
  const who = reporter.username ?? (reporter.extstore_id && `player ${reporter.extstore_id}`) ?? 'a player'
  const facts = [
    [
      'Reported',
      <>
        <Day at={created_at} /> by {who}, {SOURCES[source]}
      </>,
    ],
    ['Version', client_version],
    ['System', [os, arch].filter(Boolean).join(' ')],
    ['Build', build_id],
    ['Fixed in', ticket.fixed_in_version],
  ] as const
  return (
    <FieldGroup id="report" title="Report">
      <p>
        <TicketBadge status={ticket.status} />
      </p>
      <p class="reported" dir="auto">
        {ticket.message}
      </p>
      <FactsList facts={facts} />
      {screenshot_url === null ? null : (
        <a href={pathOf(screenshot_url)}>
          <img class="screenshot" src={pathOf(screenshot_url)} alt="The player’s screenshot, in full size" />
        </a>
      )}
    </FieldGroup>
  )
}

function ChangeForm({ base, state, ticket }: { base: string; state: PageState; ticket: TicketDetails }) {
  const form = formOf(state, 'ticket')
  return (
    <FieldGroup id="change" title="Change">
      <PostForm action={`${base}/${ticket.ticket_uid}`}>
        <SelectField
          {...{ form }}
          scope="ticket"
          name="status"
          label="Status"
          value={ticket.status}
          options={TICKET_STATUSES.map((status) => [status, TICKET_LABELS[status].label])}
          hint="The player is told once it is fixed. A closed report stays silent."
        />
        <TextField
          {...{ form }}
          scope="ticket"
          name="fixed_in_version"
          label="Fixed in version"
          value={ticket.fixed_in_version ?? ''}
          limit={FIXED_IN_MAX}
          hint="The player sees it with the notice."
        />
        <AreaField
          {...{ form }}
          scope="ticket"
          name="note"
          label="Note"
          limit={NOTE_MAX}
          hint="For the team: it is added to the history, and players do not see it."
        />
        <Submit>Save</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function Event({
  event: { at, by, from_status, to_status, fixed_in_version, note },
}: {
  event: TicketEvent
}) {
  const moved = from_status === to_status ? null : TICKET_LABELS[to_status].label
  return (
    <li>
      <div>
        <p>
          {moved === null ? 'Note' : moved}
          {fixed_in_version === null ? '' : `, in ${fixed_in_version}`}
        </p>
        {note === null ? null : (
          <p class="reported" dir="auto">
            {note}
          </p>
        )}
      </div>
      <span class="quiet small">
        {by}, <Day at={at} />
      </span>
    </li>
  )
}
