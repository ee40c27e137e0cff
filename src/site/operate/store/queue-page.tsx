import type { WaitingPublication } from '../../../features/operate/publications/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Badge } from '../../components/badge.tsx'
import { Pager } from '../../components/pager.tsx'
import { Moment } from '../../kit/dates.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { TYPE_LABELS } from '../../kit/labels.ts'
import type { PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'

const NOTICES = {
  approved: 'The page is published, and its owner has a mail.',
  declined: 'The page stays a draft, and its owner has a mail with your reason.',
}

interface QueuePageProps {
  state: PageState
  waiting: Paged<WaitingPublication>
}

export function QueuePage({ state, waiting }: QueuePageProps) {
  const { visit } = state
  const isOn = visit.store.settings.publishing === 'approved'
  return (
    <OperateFrame state={state} tab="/operate/queue" notices={NOTICES}>
      {waiting.items.length === 0 ? (
        <div class="empty">
          <h2>Nothing waits</h2>
          <p>
            {isOn
              ? 'The first page of each developer waits here for you.'
              : 'Developers publish at once. Under Settings, Policies you can have their first page wait here.'}
          </p>
        </div>
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
          <a href={`/operate/listings/${uid}`}>{name}</a>
        </strong>{' '}
        <Badge tone="none">{TYPE_LABELS[asset_type]}</Badge> {adult ? <Badge tone="warn">adult</Badge> : null}{' '}
        {visibility === 'public' ? null : <Badge tone="none">by link only</Badge>}
        <p>{tagline}</p>
        <p class="quiet small">
          <a href={`/operate/accounts?q=${owner.uid}`}>{owner.username}</a>, <Moment at={asked_at} />
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
