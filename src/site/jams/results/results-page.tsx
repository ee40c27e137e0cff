import { seesAdult } from '../../../domain/actor.ts'
import { entryPath, jamPath } from '../../../domain/site-urls.ts'
import type { JamComment, ResultItem, Results } from '../../../features/jams/results/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { formatNumber, formatOrdinal, plural } from '../../../lib/text/show.ts'
import { pathOf } from '../../components/card.tsx'
import { Pager, Table } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import { Person } from '../../components/person.tsx'
import { Badge, Moment } from '../../kit/labels.tsx'
import { JamFrame, type JamProps, type ShownJam } from '../jam-frame.tsx'

interface ResultsPageProps extends JamProps {
  results: Results
  /** The criterion that the list is ordered by; null: the whole. */
  criterion: string | null
}

/** Who won, by the whole and by each criterion. */
export function ResultsPage({ state: { visit }, shown, results, criterion }: ResultsPageProps) {
  const { jam } = shown
  const path = jamPath(jam.slug, 'results')
  return (
    <JamFrame
      {...{ visit, shown, tab: 'Results' }}
      canonical={`${jam.url}/results`}
      isIndexed={jam.visibility === 'public' && results.published_at !== null && visit.url.search === ''}
    >
      <div class="row between">
        <h1>Results</h1>
        <a href={`${path}.csv`} download>
          Download as CSV
        </a>
      </div>
      {results.published_at === null ? (
        <Notice tone="warn">
          Only hosts see these results. <a href={`${jamPath(jam.slug, 'manage')}/results`}>Publish them</a>
        </Notice>
      ) : null}
      {jam.criteria.length > 1 ? (
        <ul class="chips" aria-label="Ordered by">
          {[null, ...jam.criteria.map(({ name }) => name)].map((name) => (
            <li key={name ?? ''}>
              <a
                class="chip"
                href={name === null ? path : `${path}?criterion=${encodeURIComponent(name)}`}
                aria-current={name === criterion ? 'true' : undefined}
              >
                {name === null ? 'Overall' : <bdi>{name}</bdi>}
              </a>
            </li>
          ))}
        </ul>
      ) : null}
      {results.total === 0 ? (
        <p class="quiet">Nobody entered this jam.</p>
      ) : (
        <ResultTable {...{ visit, results, criterion, slug: jam.slug }} />
      )}
      <Pager {...results} url={visit.url} />
      <Formula {...{ shown, m: results.m }} />
    </JamFrame>
  )
}

/** Before the results are out. */
export function NoResultsPage({ state: { visit }, shown, reason }: JamProps<{ reason: string }>) {
  const { slug, state, voting_ends_at } = shown.jam
  return (
    <JamFrame {...{ visit, shown, tab: 'Results' }}>
      <h1>Results</h1>
      <Notice tone="info">{voting_ends_at === null ? 'This jam is not ranked.' : reason}</Notice>
      <p>
        <a href={jamPath(slug, state === 'voting' ? 'rate' : 'entries')}>
          {state === 'voting' ? 'Rate entries' : 'See the entries'}
        </a>
      </p>
    </JamFrame>
  )
}

/** Covers of adult entries are for those who asked for such content. */
function coverFor({ actor }: Visit, { cover, adult }: ResultItem['game']): string | null {
  return adult && !seesAdult(actor) ? null : cover
}

interface ResultTableProps {
  visit: Visit
  results: Results
  criterion: string | null
  slug: string
}

function ResultTable({ visit, results, criterion, slug }: ResultTableProps) {
  return (
    <Table
      label={criterion === null ? 'Results' : `Results by ${criterion}`}
      columns={[
        { number: 'Rank' },
        'Entry',
        { number: 'Adjusted' },
        { number: 'Score' },
        { number: 'Ratings' },
      ]}
    >
      {results.items.map((item) => {
        const { game, ratings, disqualified, prizes } = item
        const { mean, adjusted, rank } = judgedBy(item, criterion)
        const cover = coverFor(visit, game)
        return (
          <tr key={game.uid}>
            <td class="number">{rank ?? '–'}</td>
            <th scope="row">
              <div class="jam-ranked">
                {cover === null ? null : (
                  <img src={pathOf(cover)} width={1280} height={720} alt="" loading="lazy" />
                )}
                <div>
                  <a href={`${jamPath(slug, 'results')}/${game.vanity_name}`} dir="auto">
                    {game.name}
                  </a>{' '}
                  {disqualified === null ? null : <Badge tone="bad">Disqualified</Badge>}{' '}
                  {prizes.map(({ title }) => (
                    <Badge key={title} tone="good">
                      <bdi>{title}</bdi>
                    </Badge>
                  ))}
                  <p class="quiet small" dir="auto">
                    {game.developer}
                  </p>
                </div>
              </div>
            </th>
            <td class="number">{scoreText(adjusted)}</td>
            <td class="number">{scoreText(mean)}</td>
            <td class="number">{formatNumber(ratings)}</td>
          </tr>
        )
      })}
    </Table>
  )
}

function judgedBy(item: ResultItem, criterion: string | null) {
  const { score, adjusted, rank, criteria } = item
  return (criterion === null ? undefined : criteria[criterion]) ?? { mean: score, adjusted, rank }
}

function scoreText(score: number | null): string {
  return score === null ? '–' : score.toFixed(3)
}

/** In words that need no formula, and the formula. */
function Formula({ shown: { jam }, m }: { shown: ShownJam; m: number }) {
  const primary = jam.criteria.find((criterion) => criterion.primary)
  return (
    <p class="quiet small">
      The score is the mean of the stars
      {primary === undefined ? (
        ' in all criteria'
      ) : (
        <>
          {' '}
          in <bdi>{primary.name}</bdi>
        </>
      )}
      . An entry with fewer ratings than most is adjusted down, so that a few votes alone win nothing: the
      score times the root of its ratings divided by {m}, the median of all entries; with {m} or more it
      stays. Entries with fewer than {plural(jam.min_ratings, 'rating')} are not ranked. Equal scores share a
      rank.
    </p>
  )
}

interface ResultPageProps extends JamProps {
  result: ResultItem
  comments: Paged<JamComment>
}

/** One entry: its place in every criterion, its prizes, and what voters wrote. */
export function ResultPage({ state: { visit }, shown, result, comments }: ResultPageProps) {
  const { jam } = shown
  const { game, rank, ratings, disqualified, prizes, criteria, score, adjusted } = result
  const cover = coverFor(visit, game)
  return (
    <JamFrame {...{ visit, shown, tab: 'Results' }} title={`${game.name} · ${jam.title}`}>
      <p class="small">
        <a href={jamPath(jam.slug, 'results')}>← All results</a>
      </p>
      <h1 dir="auto">{game.name}</h1>
      {disqualified === null ? (
        <p class="lead">
          {rank === null
            ? `Not ranked: ${plural(ratings, 'rating')}, ${jam.min_ratings} are needed.`
            : `${formatOrdinal(rank)} place, with ${plural(ratings, 'rating')}`}
        </p>
      ) : (
        <Notice tone="warn">
          <strong>Disqualified.</strong> <bdi>{disqualified}</bdi>
        </Notice>
      )}
      <div class="jam-columns">
        <div class="stack">
          {cover === null ? null : (
            <img class="jam-entry-cover" src={pathOf(cover)} width={1280} height={720} alt="" />
          )}
          <p>
            <a href={entryPath(jam.slug, game.vanity_name)}>Play the version of the jam</a>
          </p>
        </div>
        <div class="jam-side">
          {prizes.length === 0 ? null : (
            <section class="panel stack" aria-labelledby="prizes">
              <h2 id="prizes">Prizes</h2>
              {prizes.map(({ title, text }) => (
                <div key={title}>
                  <h3 dir="auto">{title}</h3>
                  {text === '' ? null : (
                    <p class="as-typed" dir="auto">
                      {text}
                    </p>
                  )}
                </div>
              ))}
            </section>
          )}
          <Table
            label="By criterion"
            columns={['Criterion', { number: 'Rank' }, { number: 'Adjusted' }, { number: 'Score' }]}
          >
            {[...Object.entries(criteria), ['Overall', { mean: score, adjusted, rank }] as const].map(
              ([name, judged], index, all) => (
                <tr key={index}>
                  <th scope="row">{index === all.length - 1 ? name : <bdi>{name}</bdi>}</th>
                  <td class="number">{judged.rank ?? '–'}</td>
                  <td class="number">{scoreText(judged.adjusted)}</td>
                  <td class="number">{scoreText(judged.mean)}</td>
                </tr>
              ),
            )}
          </Table>
        </div>
      </div>
      <Comments {...{ comments }} />
      <Pager {...comments} url={visit.url} />
    </JamFrame>
  )
}

function Comments({ comments }: { comments: Paged<JamComment> }) {
  return (
    <section aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {comments.total === 0 ? <p class="quiet">Nobody wrote one for everyone to read.</p> : null}
      <ul class="records">
        {comments.items.map(({ uid, text, person, public: isPublic, created_at }) => (
          <li key={uid}>
            <div>
              {person === null ? (
                <p class="quiet">{isPublic ? 'A deleted account' : 'A voter, to you alone'}</p>
              ) : (
                <Person person={person} />
              )}
              <p class="as-typed" dir="auto">
                {text}
              </p>
              <p class="quiet small">
                <Moment at={created_at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
