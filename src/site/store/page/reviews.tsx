import { RATING_MAX, type Review, type ReviewPage } from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Day } from '../../kit/dates.tsx'
import { type FormState } from '../../kit/form-state.ts'
import { countText, numberText } from '../../kit/labels.ts'
import { useAnchor } from '../../kit/outcome.tsx'
import type { StoreData } from '../store-data.ts'
import { ReviewForm } from './review-form.tsx'

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
      <ReviewList reviews={reviews.items} />
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

export function ReviewList({ reviews }: { reviews: ReviewPage['items'] }) {
  if (reviews.length === 0) return null
  return (
    <ul class="reviews">
      {reviews.map((review) => (
        <li key={review.uid}>
          <ReviewCard review={review} />
        </li>
      ))}
    </ul>
  )
}

function ReviewCard({ review }: { review: Review }) {
  return (
    <article class="review">
      <p class="row between">
        <span class="row">
          <strong>{review.username}</strong> <Stars rating={review.rating} />
        </span>
        <span class="quiet small">
          {playTimeText(review.play_minutes)} · <Day at={review.updated_at} />
        </span>
      </p>
      {review.text === '' ? null : <p class="text">{review.text}</p>}
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
