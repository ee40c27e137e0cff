import { COMMENT_MAX, STARS_MAX } from '../../../domain/jams.ts'
import { GIVEN_EXAMPLE } from '../../../domain/jams/queue-order.ts'
import { REFUSAL_TEXTS } from '../../../domain/jams/rating.ts'
import { entryPath, entryPlayPath, jamPath } from '../../../domain/site-urls.ts'
import type { OwnRating, OwnStanding, Queue, QueueItem } from '../../../features/jams/rating/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { formatNumber, plural } from '../../../lib/text/show.ts'
import { pathOf } from '../../components/card.tsx'
import { DownloadIcon, PlayIcon } from '../../components/icons.tsx'
import { Empty, Pager } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { AreaField, Check, FaultSummary, FieldSet, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, Moment, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { JamFrame, type JamProps, type ShownJam } from '../jam-frame.tsx'

const NOTICES = {
  rated: 'Your rating is saved. You can change it until the voting ends.',
  skipped: 'Skipped: it comes back at the end.',
  unable: 'Thank you: its developer sees it in the launch health. It is not offered to you again.',
}

/** The field of a criterion, by its place. */
export const scoreField = (index: number) => `score-${index}`

interface RatePageProps extends JamProps {
  queue: Queue
  /** What is rated now; null where nothing is left. */
  item: QueueItem | null
  /** Whether only what runs on the visitor's system is offered. */
  isNarrowed: boolean
}

/** One entry after the other, with what comes next. */
export function RatePage({ state, shown, queue, item, isNarrowed }: RatePageProps) {
  const { visit, refused } = state
  const { jam } = shown
  const { left, rated, own } = queue
  const next = queue.items.filter(({ game }) => game.uid !== item?.game.uid).slice(0, 5)
  return (
    <JamFrame {...{ visit, shown, tab: 'Rate', notices: NOTICES }}>
      <div class="row between">
        <h1>Rate</h1>
        <p class="quiet" role="status">
          {plural(rated, 'entry', 'entries')} rated, {formatNumber(left)} left
        </p>
      </div>
      <progress
        class="jam-progress"
        value={rated}
        max={Math.max(1, rated + left)}
        aria-label="Rated entries"
      />
      <FaultSummary form={refused?.form} />
      <div class="jam-columns">
        {item === null ? (
          <NothingLeft {...{ slug: jam.slug, left, isNarrowed }} />
        ) : (
          <Ballot {...{ shown, item, form: formOf(state, 'rating') }} />
        )}
        <div class="jam-side">
          <Standings own={own} />
          {next.length === 0 ? null : (
            <section class="panel stack" aria-labelledby="next">
              <h2 id="next">Next</h2>
              <ol class="jam-next-list">
                {next.map(({ game, skipped }) => (
                  <li key={game.uid}>
                    <a href={ballotPath(jam.slug, game.vanity_name)} dir="auto">
                      {game.name}
                    </a>
                    {skipped ? <Badge>skipped</Badge> : null}
                  </li>
                ))}
              </ol>
            </section>
          )}
          <p class="small">
            {isNarrowed ? (
              <a href={`${jamPath(jam.slug, 'rate')}?os=any`}>Offer entries for all systems</a>
            ) : (
              <a href={jamPath(jam.slug, 'rate')}>Offer what runs here</a>
            )}
            <br />
            <a href={`${jamPath(jam.slug, 'rate')}/rated`}>Your ratings</a>
          </p>
        </div>
      </div>
    </JamFrame>
  )
}

/** For those who do not vote, and outside of the voting. */
export function NoRatingPage({ state: { visit }, shown, reason }: JamProps<{ reason: string }>) {
  const { slug, state, results_published_at } = shown.jam
  return (
    <JamFrame {...{ visit, shown, tab: 'Rate' }}>
      <h1>Rate</h1>
      <Notice tone="info">{reason}</Notice>
      <p>
        {results_published_at === null ? (
          <a href={jamPath(slug, 'entries')}>See the entries</a>
        ) : (
          <a href={jamPath(slug, 'results')}>See the results</a>
        )}
        {state === 'voting' || state === 'past' ? (
          <>
            {' '}
            <a href={`${jamPath(slug, 'rate')}/rated`}>Your ratings</a>
          </>
        ) : null}
      </p>
    </JamFrame>
  )
}

function ballotPath(slug: string, vanityName: string): string {
  return `${jamPath(slug, 'rate')}?entry=${vanityName}`
}

interface NothingLeftProps {
  slug: string
  left: number
  isNarrowed: boolean
}

function NothingLeft({ slug, left, isNarrowed }: NothingLeftProps) {
  const isElsewhere = left > 0 && isNarrowed
  const [title, text] =
    left === 0
      ? ['You rated everything', 'Thank you. You can change your ratings until the voting ends.']
      : isElsewhere
        ? ['Nothing left that runs here', 'The other entries need another system.']
        : ['Nothing left to rate', 'The other entries are for adults, or cannot be played at the moment.']
  return (
    <Empty
      title={title}
      link={[
        isElsewhere ? `${jamPath(slug, 'rate')}?os=any` : jamPath(slug, 'entries'),
        isElsewhere ? 'Show them' : 'All entries',
      ]}
    >
      {text}
    </Empty>
  )
}

interface BallotProps {
  shown: ShownJam
  item: QueueItem
  form: FormState
}

function Ballot({ shown: { jam }, item, form }: BallotProps) {
  const { game, note, rating, refusal } = item
  const action = `${jamPath(jam.slug, 'rate')}/${game.uid}`
  return (
    <article class="jam-ballot stack" aria-labelledby="entry">
      <div class="jam-ballot-head">
        {game.cover === null ? null : (
          <img class="jam-entry-cover" src={pathOf(game.cover)} width={1280} height={720} alt="" />
        )}
        <div class="stack">
          <div>
            <h2 id="entry" dir="auto">
              <a href={entryPath(jam.slug, game.vanity_name)}>{game.name}</a>
            </h2>
            <p class="quiet" dir="auto">
              {game.developer}
            </p>
            <p dir="auto">{game.tagline}</p>
          </div>
          {note === '' ? null : (
            <p class="as-typed" dir="auto">
              {note}
            </p>
          )}
        </div>
      </div>
      <Versions {...{ item, slug: jam.slug }} />
      {refusal === null ? null : (
        <Notice tone={refusal === 'not_played' ? 'info' : 'warn'}>{REFUSAL_TEXTS[refusal]}</Notice>
      )}
      <PostForm action={action}>
        {jam.criteria.map(({ name, text }, index) => (
          <Stars
            key={name}
            {...{ form, name: scoreField(index), label: name, hint: text }}
            value={rating?.scores[name] ?? null}
          />
        ))}
        <AreaField
          {...{ form, name: 'comment', label: 'Comment to the developer', limit: COMMENT_MAX }}
          value={rating?.comment ?? ''}
          hint="They read it after the results, and the hosts can."
        />
        <Check
          name="public"
          label="Show the comment to everyone after the results, with my name"
          checked={form.values.size === 0 ? (rating?.public ?? false) : form.values.has('public')}
        />
        <div class="row">
          <Submit>{rating === null ? 'Rate and go on' : 'Change the rating'}</Submit>
        </div>
      </PostForm>
      {rating === null ? (
        <div class="row">
          <PostForm action={`${action}/skip`} class="">
            <Submit look="second">Skip</Submit>
          </PostForm>
          <PostForm action={`${action}/cannot-run`} class="">
            <Submit look="second">Cannot run it</Submit>
          </PostForm>
        </div>
      ) : null}
    </article>
  )
}

function Versions({ item: { game, files }, slug }: { item: QueueItem; slug: string }) {
  return (
    <ul class="row jam-versions" aria-label="Play it">
      {files.some(({ playable }) => playable) ? (
        <li>
          <a class="button" href={entryPlayPath(slug, game.vanity_name)}>
            <PlayIcon />
            <span>
              Play<span class="visually-hidden"> {game.name}</span> in the browser
            </span>
          </a>
        </li>
      ) : null}
      {files.map(({ file_uid, os, version, playable }) => (
        // Without script nobody can play here for a minute, so the files themselves open the rating.
        <li key={file_uid} class={playable ? 'without-script' : undefined}>
          <a
            class="button second"
            href={`/games/${game.vanity_name}/files/${file_uid}/download`}
            rel="nofollow"
          >
            <DownloadIcon />
            <span>
              Download <span class="visually-hidden">{version} </span>for {SYSTEM_LABELS[os]}
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}

interface StarsProps {
  form: FormState
  name: string
  label: string
  hint: string
  value: number | null
}

/** Radio buttons: arrow keys and digits of a screen reader move between them, without script too. */
function Stars({ form, name, label, hint, value }: StarsProps) {
  const sent = form.values.get(name)
  const current = sent === null ? value : Number(sent)
  return (
    <FieldSet {...{ form, name, hint: hint || undefined }} label={<bdi>{label}</bdi>}>
      <div class="jam-stars">
        {Array.from({ length: STARS_MAX }, (_, index) => index + 1).map((stars) => (
          <label key={stars}>
            <input type="radio" name={name} value={String(stars)} checked={current === stars} />
            <span aria-hidden="true">★</span>
            <span class="visually-hidden">{plural(stars, 'star')}</span>
          </label>
        ))}
      </div>
    </FieldSet>
  )
}

/** What giving ratings does for one's own entries. */
function Standings({ own }: { own: readonly OwnStanding[] }) {
  if (own.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="own">
      <h2 id="own">Your entries</h2>
      {own.map(({ game, received, given, ahead, ahead_after }) => (
        <div key={game.uid}>
          <h3 dir="auto">{game.name}</h3>
          <p>
            {plural(received, 'rating')} received, {formatNumber(given)} given.
          </p>
          <p class="quiet small">
            {plural(ahead, 'entry stands', 'entries stand')} before it in the queue.{' '}
            {ahead_after < ahead
              ? `Rate ${GIVEN_EXAMPLE} more, and it is ${formatNumber(ahead_after)}.`
              : 'Those who rate get rated: each rating you give moves it ahead.'}
          </p>
        </div>
      ))}
      <p class="quiet small">Votes count from those who rated entries of two teams at least.</p>
    </section>
  )
}

interface RatedPageProps {
  visit: Visit
  shown: ShownJam
  ratings: Paged<OwnRating>
}

/** All that the visitor rated in this jam. */
export function RatedPage({ visit, shown, ratings }: RatedPageProps) {
  const { slug, state } = shown.jam
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
              <Scores scores={scores} />
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

/** The stars by criterion, in a line. */
export function Scores({ scores }: { scores: OwnRating['scores'] }) {
  return (
    <p>
      {Object.entries(scores).map(([criterion, stars], index) => (
        <span key={criterion}>
          {index === 0 ? '' : ', '}
          <bdi>{criterion}</bdi> {stars}
        </span>
      ))}
    </p>
  )
}
