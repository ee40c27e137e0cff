import { TICKET_STATUSES, type TicketStatus } from '../../../domain/bugs.ts'
import type { Ticket } from '../../../features/bugs/tickets/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { cutAtWord } from '../../../lib/text/characters.ts'
import { Pager, Table } from '../../components/lists.tsx'
import { Badge, countText, Day, type Tone } from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const LEAD = 'What players reported from the game and the store page. They are told when a report is fixed.'
const SHOWN_LETTERS = 120

export const TICKET_LABELS: Readonly<Record<TicketStatus, { label: string; tone: Tone }>> = {
  open: { label: 'Open', tone: 'warn' },
  in_progress: { label: 'In progress', tone: 'none' },
  fixed: { label: 'Fixed', tone: 'good' },
  closed: { label: 'Closed', tone: 'none' },
}

interface BugsProps extends TabProps {
  tickets: Paged<Ticket>
  /** The status that the list is limited to. */
  status: TicketStatus | undefined
  isOn: boolean
}

export function BugsPage({ project, state, tickets, status, isOn }: BugsProps) {
  const { visit } = state
  const base = `/studio/${project.listing.vanity_name}/bugs`
  return (
    <StudioPage {...{ visit, project }} tab="bugs" lead={LEAD}>
      <div class="row between">
        <p>
          <Badge tone={isOn ? 'good' : 'none'}>{isOn ? 'The reporter is on' : 'The reporter is off'}</Badge>
        </p>
        <a class="button second" href={`${base}/settings`}>
          Reporter and webhooks
        </a>
      </div>
      <nav class="row" aria-label="Status">
        {[undefined, ...TICKET_STATUSES].map((one) => (
          <a
            key={one ?? 'all'}
            class="chip"
            href={one === undefined ? base : `${base}?status=${one}`}
            aria-current={one === status ? 'page' : undefined}
          >
            {one === undefined ? 'All' : TICKET_LABELS[one].label}
          </a>
        ))}
      </nav>
      {tickets.total === 0 ? (
        <Empty {...{ status, isOn, base }} />
      ) : (
        <>
          <p role="status">{countText(tickets.total, 'report')}</p>
          <Table label="Reports" columns={['Reported', 'What happened', 'Version', 'With', 'Status']}>
            {tickets.items.map((ticket) => (
              <Row key={ticket.ticket_uid} ticket={ticket} base={base} />
            ))}
          </Table>
        </>
      )}
      <Pager {...tickets} url={visit.url} />
    </StudioPage>
  )
}

function Row({ ticket, base }: { ticket: Ticket; base: string }) {
  const { ticket_uid, message, created_at, client_version, os, has_log, screenshot_url, reporter } = ticket
  const attached = [has_log && 'log', screenshot_url && 'screenshot'].filter(Boolean).join(', ')
  return (
    <tr>
      <td>
        <Day at={created_at} />
        <br />
        <span class="quiet">{reporter.username ?? 'a player'}</span>
      </td>
      <td>
        <a href={`${base}/${ticket_uid}`} dir="auto">
          {titleOf(message)}
        </a>
      </td>
      <td>{[client_version, os].filter(Boolean).join(', ') || 'not stated'}</td>
      <td>{attached || 'nothing'}</td>
      <td>
        <TicketBadge status={ticket.status} />
      </td>
    </tr>
  )
}

/** The beginning of the message, which may be long. */
function titleOf(message: string): string {
  const title = cutAtWord(message, SHOWN_LETTERS)
  return title === message ? title : `${title}…`
}

export function TicketBadge({ status }: { status: TicketStatus }) {
  const { label, tone } = TICKET_LABELS[status]
  return <Badge tone={tone}>{label}</Badge>
}

function Empty({ status, isOn, base }: Pick<BugsProps, 'status' | 'isOn'> & { base: string }) {
  if (status !== undefined) {
    return (
      <div class="empty">
        <h2>No report is {TICKET_LABELS[status].label.toLowerCase()}</h2>
        <p>
          <a href={base}>Show all reports</a>
        </p>
      </div>
    )
  }
  return (
    <div class="empty">
      <h2>Nobody reported a bug</h2>
      {isOn ? (
        <p>Reports from the game and from “Report a bug” on the store page arrive here.</p>
      ) : (
        <p>
          Turn the reporter on under <a href={`${base}/settings`}>Reporter and webhooks</a>: then players can
          report bugs from the game and the store page.
        </p>
      )}
    </div>
  )
}
