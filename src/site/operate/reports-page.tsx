import type { PageReport } from '../../features/operate/reports/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Badge } from '../components/badge.tsx'
import { Pager } from '../components/pager.tsx'
import { Moment } from '../kit/dates.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import type { PageState } from '../kit/pages.ts'
import { REASON_LABELS } from '../store/reports/report-page.tsx'
import { OperateFrame, States } from './operate-frame.tsx'

const STATES = { open: 'Open', resolved: 'Resolved', dismissed: 'Dismissed' }

const NOTICES = {
  dismissed: 'The report is dismissed.',
  resolved: 'The report is resolved.',
}

interface ReportsPageProps {
  state: PageState
  reports: Paged<PageReport>
}

export function ReportsPage({ state, reports }: ReportsPageProps) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/reports" notices={NOTICES}>
      <States visit={visit} name="state" values={STATES} />
      {reports.items.length === 0 ? (
        <div class="empty">
          <h2>No such reports</h2>
          <p>Players report a page with “Report this page” at its end.</p>
        </div>
      ) : (
        <ul class="records panel">
          {reports.items.map((report) => (
            <Report key={report.uid} report={report} />
          ))}
        </ul>
      )}
      <Pager {...reports} url={visit.url} />
    </OperateFrame>
  )
}

function Report({ report }: { report: PageReport }) {
  const { uid, reason, text, created_at, listing, reporter, state } = report
  return (
    <li>
      <div>
        <strong>
          <a href={`/operate/listings/${listing.uid}`}>{listing.name}</a>
        </strong>{' '}
        <Badge tone="warn">{REASON_LABELS[reason]}</Badge>{' '}
        {listing.taken_down ? <Badge tone="bad">taken down</Badge> : null}
        <p class="evidence">{text}</p>
        <p class="quiet small">
          <a href={`/operate/accounts?q=${reporter.uid}`}>{reporter.username}</a>, <Moment at={created_at} />
        </p>
      </div>
      {state === 'open' ? <Acts uid={uid} listing={listing} /> : null}
    </li>
  )
}

function Acts({ uid, listing }: Pick<PageReport, 'uid' | 'listing'>) {
  const about = <span class="visually-hidden"> report of {listing.name}</span>
  return (
    <div class="act">
      {listing.taken_down ? null : (
        <a class="button danger" href={`/operate/listings/${listing.uid}/take-down`}>
          Take down<span class="visually-hidden"> {listing.name}</span>
        </a>
      )}
      <PostForm action={`/operate/reports/${uid}/resolve`} class="act">
        <Submit look="second">Resolve{about}</Submit>
      </PostForm>
      <PostForm action={`/operate/reports/${uid}/dismiss`} class="act">
        <Submit look="second">Dismiss{about}</Submit>
      </PostForm>
    </div>
  )
}
