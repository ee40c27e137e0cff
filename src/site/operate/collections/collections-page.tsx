import type { OperatorCollection } from '../../../features/operate/collections/model.ts'
import { Badge } from '../../components/badge.tsx'
import { Moment } from '../../kit/dates.tsx'
import { countText } from '../../kit/labels.ts'
import type { PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'

const NOTICES = {
  saved: 'The collection is saved, and everyone sees it now.',
  deleted: 'The collection is deleted. Its listings stay as they are.',
}

interface CollectionsPageProps {
  state: PageState
  collections: readonly OperatorCollection[]
}

export function OperateCollectionsPage({ state, collections }: CollectionsPageProps) {
  return (
    <OperateFrame state={state} tab="/operate/collections" notices={NOTICES}>
      <p>
        <a class="button" href="/operate/collections/new">
          New collection
        </a>
      </p>
      {collections.length === 0 ? (
        <div class="empty">
          <h2>There are no collections</h2>
          <p>Put up to 50 listings together under a title, for a season, a jam or a mood.</p>
        </div>
      ) : (
        <ul class="records panel">
          {collections.map((collection) => (
            <Row key={collection.uid} collection={collection} now={Date.now()} />
          ))}
        </ul>
      )}
    </OperateFrame>
  )
}

function Row({ collection, now }: { collection: OperatorCollection; now: number }) {
  const { uid, slug, title, text, games, on_home, from, until } = collection
  const isEarly = from !== null && Date.parse(from) > now
  const isOver = until !== null && Date.parse(until) <= now
  return (
    <li>
      <div>
        <strong>
          <a href={`/operate/collections/${uid}`}>{title}</a>
        </strong>{' '}
        {on_home ? <Badge tone="good">on home</Badge> : null}{' '}
        {isEarly ? <Badge tone="none">not yet shown</Badge> : null}
        {isOver ? <Badge tone="none">over</Badge> : null}
        {text === '' ? null : <p>{text}</p>}
        <p class="quiet small">
          {countText(games.length, 'listing')}
          {from === null ? null : (
            <>
              , from <Moment at={from} />
            </>
          )}
          {until === null ? null : (
            <>
              , until <Moment at={until} />
            </>
          )}
        </p>
      </div>
      {isEarly || isOver ? null : (
        <a class="button second" href={`/collections/${slug}`}>
          Open<span class="visually-hidden"> {title}</span>
        </a>
      )}
    </li>
  )
}
