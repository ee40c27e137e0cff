import type { LookAlike } from '../../features/operate/look-alikes/model.ts'
import type { PageReport, WaitingPublication } from '../../features/operate/moderation/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { Person, PersonName } from '../components/person.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { Badge, Moment, TYPE_LABELS } from '../kit/labels.tsx'
import type { PageProps, PageState } from '../kit/pages.ts'
import { REASON_LABELS } from '../listing/reports/report-page.tsx'
import { OperateFrame, States } from './operate-frame.tsx'

const STATES = { open: 'Open', resolved: 'Resolved', dismissed: 'Dismissed' }

const NOTICES = {
  dismissed: 'The report is dismissed.',
  resolved: 'The report is resolved.',
  accepted: 'The name is accepted and not told again.',
}

interface ReportsPageProps {
  state: PageState
  reports: Paged<PageReport>
  names: readonly LookAlike[]
}

export function ReportsPage({ state, reports, names }: ReportsPageProps) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/reports" notices={NOTICES}>
      <States visit={visit} name="state" values={STATES} />
      {names.length === 0 ? null : <LookAlikes names={names} />}
      {reports.items.length === 0 ? (
        <Empty title="No such reports">Players report a page with “Report this page” at its end.</Empty>
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

function LookAlikes({ names }: { names: readonly LookAlike[] }) {
  return (
    <section class="panel stack" aria-labelledby="names">
      <h2 id="names">Names that look like others</h2>
      <ul class="records">
        {names.map(({ account, like, created_at }) => (
          <li key={account.uid}>
            <div>
              <p>
                <strong>
                  <Person person={account} withUsername />
                </strong>{' '}
                looks like {like === null ? 'the store' : <Person person={like} withUsername />}
              </p>
              <p class="quiet small">
                <Moment at={created_at} />
              </p>
            </div>
            <div class="act">
              <a class="button second" href={`/operate/accounts?q=${account.uid}`}>
                Open account<span class="visually-hidden"> {account.username}</span>
              </a>
              <PostForm action={`/operate/look-alikes/${account.uid}/dismiss`} class="act">
                <Submit look="second">
                  Accept name<span class="visually-hidden"> of {account.username}</span>
                </Submit>
              </PostForm>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Report({ report }: { report: PageReport }) {
  const { uid, reason, text, created_at, listing, post, reporter, state } = report
  return (
    <li>
      <div>
        <strong>
          <a href={`/operate/listings/${listing.uid}`} dir="auto">
            {listing.name}
          </a>
        </strong>{' '}
        <Badge tone="warn">{REASON_LABELS[reason]}</Badge>{' '}
        {listing.taken_down ? <Badge tone="bad">taken down</Badge> : null}
        {post === null ? null : (
          <p>
            Post:{' '}
            <a href={`/operate/posts/${post.uid}`}>
              <bdi>{post.title}</bdi>
            </a>{' '}
            {post.taken_down ? <Badge tone="bad">taken down</Badge> : null}
          </p>
        )}
        <p class="evidence" dir="auto">
          {text}
        </p>
        <p class="quiet small">
          <a href={`/operate/accounts?q=${reporter.uid}`}>
            <PersonName {...reporter} />
          </a>
          , <Moment at={created_at} />
        </p>
      </div>
      {state === 'open' ? <Acts {...{ uid, listing, post }} /> : null}
    </li>
  )
}

function Acts({ uid, listing, post }: Pick<PageReport, 'uid' | 'listing' | 'post'>) {
  const about = <span class="visually-hidden"> report of {listing.name}</span>
  return (
    <div class="act">
      {post !== null && !post.taken_down ? (
        <a class="button danger" href={`/operate/posts/${post.uid}/take-down`}>
          Take down post<span class="visually-hidden"> {post.title}</span>
        </a>
      ) : null}
      {post !== null || listing.taken_down ? null : (
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

const QUEUE_NOTICES = {
  approved: 'The page is published, and its owner has a mail.',
  declined: 'The page stays a draft, and its owner has a mail with your reason.',
}

export function QueuePage({ state, waiting }: PageProps<{ waiting: Paged<WaitingPublication> }>) {
  const { visit } = state
  const isOn = visit.store.settings.publishing === 'approved'
  return (
    <OperateFrame state={state} tab="/operate/queue" notices={QUEUE_NOTICES}>
      {waiting.items.length === 0 ? (
        <Empty title="Nothing waits">
          {isOn
            ? 'The first page of each developer waits here for you.'
            : 'Developers publish at once. Under Settings, Policies you can have their first page wait here.'}
        </Empty>
      ) : (
        <ul class="records panel">
          {waiting.items.map((publication) => (
            <Waiting key={publication.uid} publication={publication} />
          ))}
        </ul>
      )}
      <Pager {...waiting} url={visit.url} />
    </OperateFrame>
  )
}

function Waiting({ publication }: { publication: WaitingPublication }) {
  const { uid, name, tagline, asset_type, adult, visibility, asked_at, owner } = publication
  const about = <span class="visually-hidden"> {name}</span>
  return (
    <li>
      <div>
        <strong>
          <a href={`/operate/listings/${uid}`} dir="auto">
            {name}
          </a>
        </strong>{' '}
        <Badge tone="none">{TYPE_LABELS[asset_type]}</Badge> {adult ? <Badge tone="warn">adult</Badge> : null}{' '}
        {visibility === 'public' ? null : <Badge tone="none">by link only</Badge>}
        <p>{tagline}</p>
        <p class="quiet small">
          <a href={`/operate/accounts?q=${owner.uid}`}>
            <PersonName {...owner} />
          </a>
          , <Moment at={asked_at} />
        </p>
      </div>
      <div class="act">
        <PostForm action={`/operate/queue/${uid}/approve`} class="act">
          <Submit>Approve{about}</Submit>
        </PostForm>
        <a class="button second" href={`/operate/queue/${uid}/decline`}>
          Decline{about}
        </a>
      </div>
    </li>
  )
}
