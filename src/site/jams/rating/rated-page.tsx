import { jamPath } from '../../../domain/site-urls.ts'
import type { OwnRating } from '../../../features/jams/rating/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/pager.tsx'
import { Moment } from '../../kit/dates.tsx'
import { JamFrame } from '../jam-frame.tsx'
import type { ShownJam } from '../open-jam.ts'
import { ballotPath } from './rate-page.tsx'

interface RatedPageProps {
  visit: Visit
  shown: ShownJam
  ratings: Paged<OwnRating>
}

/** All that the visitor rated in this jam. */
export function RatedPage({ visit, shown, ratings }: RatedPageProps) {
  const { slug, state, criteria } = shown.jam
  return (
    <JamFrame {...{ visit, shown, tab: 'Rate' }} title={`Your ratings · ${shown.jam.title}`}>
      {state === 'voting' ? (
        <p class="small">
          <a href={jamPath(slug, 'rate')}>← Rate more</a>
        </p>
      ) : null}
      <h1>Your ratings</h1>
      {ratings.total === 0 ? <p class="quiet">You have not rated anything in this jam.</p> : null}
      <ul class="records">
        {ratings.items.map(({ game, scores, comment, updated_at }) => (
          <li key={game.uid}>
            <div>
              <strong dir="auto">
                {state === 'voting' ? (
                  <a href={ballotPath(slug, game.vanity_name)}>{game.name}</a>
                ) : (
                  game.name
                )}
              </strong>
              <p>
                {criteria.map(({ name }, index) => (
                  <span key={name}>
                    {index === 0 ? '' : ', '}
                    <bdi>{name}</bdi> {scores[name]}
                  </span>
                ))}
              </p>
              {comment === '' ? null : (
                <p class="as-typed quiet" dir="auto">
                  {comment}
                </p>
              )}
              <p class="quiet small">
                <Moment at={updated_at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      <Pager {...ratings} url={visit.url} />
    </JamFrame>
  )
}
