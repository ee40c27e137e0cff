import type { Listing } from '../../../features/catalog/pages/model.ts'
import {
  ANSWER_MAX,
  RATING_MAX,
  type Review,
  type ReviewPage,
  TEXT_MAX,
} from '../../../features/community/reviews/model.ts'
import { SUGGESTIONS_MAX, VOTES_TO_SHOW } from '../../../features/community/tags/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Person } from '../../components/person.tsx'
import { EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { AreaField, FieldSet, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { countText, Day, numberText } from '../../kit/labels.tsx'
import { useAnchor } from '../../kit/outcome.tsx'
import type { StoreData, VisitorRelation } from '../store-data.ts'

interface ReviewsProps {
  visit: Visit
  store: StoreData
  form: FormState
}

export function Reviews({ visit, store, form }: ReviewsProps) {
  const { listing, reviews, standing } = store
  return (
    <section aria-labelledby="reviews">
      <h2 id={useAnchor('reviews')}>Reviews</h2>
      <Ratings reviews={reviews} />
      <ReviewForm {...{ visit, listing, standing, form }} />
      <ReviewList reviews={reviews.items} store={store} />
      {reviews.total > reviews.items.length ? (
        <a href={`/games/${listing.vanity_name}/reviews`}>All {numberText(reviews.total)} reviews</a>
      ) : null}
    </section>
  )
}

/** The average and distribution of the ratings. */
export function Ratings({ reviews }: Pick<StoreData, 'reviews'>) {
  if (reviews.average === null) return <p class="quiet">Nobody has reviewed it yet.</p>
  return (
    <div class="ratings">
      <p>
        <strong class="average">{reviews.average.toFixed(1)}</strong>
        <Stars rating={Math.round(reviews.average)} />
        <span class="quiet small">{countText(reviews.count, 'review')}</span>
      </p>
      <table class="histogram small">
        <caption class="visually-hidden">Ratings</caption>
        <tbody>
          {reviews.histogram
            .map((count, index) => (
              <tr key={index}>
                <th scope="row">{countText(index + 1, 'star')}</th>
                <td>
                  <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(100 * count) / reviews.count} height="1" />
                  </svg>
                </td>
                <td>{numberText(count)}</td>
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

interface ReviewListProps {
  reviews: ReviewPage['items']
  store: StoreData
  /** A rejected answer to one of them. */
  refusedAnswer?: RefusedAnswer | undefined
}

export interface RefusedAnswer {
  reviewUid: string
  form: FormState
}

export function ReviewList({ reviews, store, refusedAnswer }: ReviewListProps) {
  if (reviews.length === 0) return null
  const { listing, standing } = store
  return (
    <ul class="reviews">
      {reviews.map((review) => (
        <li key={review.uid}>
          <ReviewCard review={review} developer={listing.developer} />
          {standing.role === null ? null : (
            <AnswerForm
              {...{ review, listing }}
              form={refusedAnswer?.reviewUid === review.uid ? refusedAnswer.form : null}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

interface AnswerFormProps {
  review: Review
  listing: Listing
  /** Set if it was rejected. */
  form: FormState | null
}

/** For those who work on the listing. */
function AnswerForm({ review, listing, form }: AnswerFormProps) {
  const { uid, answer, display_name } = review
  const action = `/games/${listing.vanity_name}/reviews/${uid}/answer`
  const about = <span class="visually-hidden"> to {display_name}</span>
  return (
    <details class="small" open={form !== null}>
      <summary>
        {answer === null ? 'Answer' : 'Change answer'}
        {about}
      </summary>
      <PostForm action={action}>
        <AreaField
          {...{ form: form ?? EMPTY_FORM, scope: uid, name: 'text', label: 'Your answer' }}
          value={answer?.text ?? ''}
          hint={`Plain text, up to ${ANSWER_MAX} characters. Everyone can read it.`}
          maxLength={ANSWER_MAX}
          required
        />
        <Submit look="second">Save answer{about}</Submit>
      </PostForm>
      {answer === null ? null : (
        <PostForm action={`${action}/delete`} class="">
          <Submit look="plain">Delete answer{about}</Submit>
        </PostForm>
      )}
    </details>
  )
}

function ReviewCard({ review, developer }: { review: Review; developer: Listing['developer'] }) {
  return (
    <article class="review" id={`review-${review.uid}`}>
      <p class="row between">
        <span class="row">
          <strong>
            <Person person={review} />
          </strong>{' '}
          <Stars rating={review.rating} />
        </span>
        <span class="quiet small">
          {playTimeText(review.play_minutes)} · <Day at={review.updated_at} />
        </span>
      </p>
      {review.text === '' ? null : (
        <p class="text" dir="auto">
          {review.text}
        </p>
      )}
      {review.answer === null ? null : (
        <div class="review-answer">
          <p class="quiet small">
            <bdi>{developer.display_name}</bdi> answered, <Day at={review.answer.updated_at} />
          </p>
          <p class="text" dir="auto">
            {review.answer.text}
          </p>
        </div>
      )}
    </article>
  )
}

function Stars({ rating }: { rating: number }) {
  return (
    <span class="stars" role="img" aria-label={`${rating} of ${RATING_MAX} stars`}>
      {'★'.repeat(rating)}
      <span>{'☆'.repeat(RATING_MAX - rating)}</span>
    </span>
  )
}

function playTimeText(minutes: number): string {
  return minutes < 60
    ? `${countText(minutes, 'minute')} played`
    : `${countText(Math.floor(minutes / 60), 'hour')} played`
}

interface ReviewFormProps {
  visit: Visit
  listing: Listing
  standing: VisitorRelation
  form: FormState
}

const RATING_WORDS = ['bad', 'weak', 'fine', 'good', 'great']

/** The visitor's own review, or what is required before they can write one. */
function ReviewForm({ visit, listing, standing, form }: ReviewFormProps) {
  if (visit.actor.kind !== 'user') {
    const next = encodeURIComponent(`${visit.url.pathname}#reviews`)
    return (
      <p>
        <a href={`/sign-in?next=${next}`}>Write a review</a>{' '}
        <span class="quiet small">after you have signed in.</span>
      </p>
    )
  }
  if (standing.role !== null)
    return <p class="quiet small">You work on this listing, so you cannot review it.</p>
  if (!standing.hasLicense) {
    return <p class="quiet small">To write a review, add it to your library first.</p>
  }
  if (!visit.actor.emailVerified) {
    return (
      <>
        <p class="quiet small">
          To write a review, <a href="/verify">confirm your e-mail address</a> first.
        </p>
        {standing.review === null ? null : <DeleteReview listing={listing} />}
      </>
    )
  }
  return <OwnReview {...{ listing, standing, form }} />
}

function OwnReview({ listing, standing, form }: Omit<ReviewFormProps, 'visit'>) {
  const { review } = standing
  const rating = form.values.get('rating') ?? String(review?.rating ?? '')
  const field = { form, scope: 'review' }
  return (
    <div class="panel stack own-review">
      <h3>{review === null ? 'What do you think of it?' : 'Your review'}</h3>
      <PostForm action={`/games/${listing.vanity_name}/review`}>
        <FieldSet {...field} name="rating" label="Rating">
          <div class="row">
            {RATING_WORDS.map((word, index) => (
              <label key={word} class="check">
                <input
                  type="radio"
                  name="rating"
                  value={index + 1}
                  checked={rating === String(index + 1)}
                  required
                />
                <span>
                  {index + 1}
                  <span class="visually-hidden"> of {RATING_MAX}</span> {word}
                </span>
              </label>
            ))}
          </div>
        </FieldSet>
        <AreaField
          {...{ ...field, name: 'text', label: 'Review', value: review?.text ?? '', maxLength: TEXT_MAX }}
          hint={`Plain text, up to ${TEXT_MAX} characters. Your name and play time stand beside it.`}
        />
        <Submit>{review === null ? 'Write a review' : 'Save review'}</Submit>
      </PostForm>
      {review === null ? null : <DeleteReview listing={listing} />}
    </div>
  )
}

function DeleteReview({ listing }: Pick<ReviewFormProps, 'listing'>) {
  return (
    <PostForm action={`/games/${listing.vanity_name}/review/delete`} class="">
      <Submit look="plain">Delete review</Submit>
    </PostForm>
  )
}

interface TagsProps {
  visit: Visit
  store: StoreData
  form: FormState
}

/** The developer's tags and those players added, with the form to suggest more. */
export function Tags({ visit, store, form }: TagsProps) {
  const { listing } = store
  const { tags } = listing.taxonomy
  return (
    <section aria-labelledby="tags">
      <h3 id={useAnchor('tags')}>Tags</h3>
      <TagList label="Tags" tags={tags} />
      {listing.community_tags.length === 0 ? null : (
        <>
          <h4>From the community</h4>
          <TagList label="Community tags" tags={listing.community_tags.map(({ tag }) => tag)} />
        </>
      )}
      <Suggest visit={visit} store={store} form={form} />
    </section>
  )
}

function TagList({ label, tags }: { label: string; tags: readonly string[] }) {
  if (tags.length === 0) return <p class="quiet small">None yet.</p>
  return (
    <ul class="chips" aria-label={label}>
      {tags.map((tag) => (
        <li key={tag}>
          <a class="chip" href={`/search?tags=${encodeURIComponent(tag)}`}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Suggest({ visit, store, form }: TagsProps) {
  const { listing, standing, tagMinutes } = store
  const missing = tagMinutes - standing.playMinutes
  if (visit.actor.kind !== 'user') return null
  if (!standing.hasLicense) {
    return <p class="quiet small">Players who have it in their library can suggest tags.</p>
  }
  if (missing > 0) {
    return (
      <p class="quiet small">
        Suggesting tags needs {countText(tagMinutes, 'minute')} of play time; play{' '}
        {countText(missing, 'minute')} more.
      </p>
    )
  }
  return (
    <PostForm action={`/games/${listing.vanity_name}/tags`}>
      <TextField
        {...{ form, scope: 'tags', name: 'tags', label: 'Your tags', value: standing.suggested.join(', ') }}
        hint={`Up to ${SUGGESTIONS_MAX}, with commas. A tag is shown once ${VOTES_TO_SHOW} players suggested it.`}
      />
      <Submit look="second">Suggest tags</Submit>
    </PostForm>
  )
}
