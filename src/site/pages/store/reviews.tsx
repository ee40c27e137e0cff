import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import {
  RATING_MAX,
  type Review,
  type ReviewPage,
  TEXT_MAX,
} from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { countText } from '../../labels.ts'
import type { Standing } from './store-page.tsx'

interface ReviewsProps {
  listing: Listing
  reviews: ReviewPage
  standing: Standing
  visit: Visit
}

export function Reviews({ listing, reviews, standing }: ReviewsProps) {
  return (
    <section aria-labelledby="reviews">
      <h2 id="reviews">Reviews</h2>
      {reviews.average === null ? (
        <p class="quiet">Nobody has reviewed it yet.</p>
      ) : (
        <p>
          <Stars rating={Math.round(reviews.average)} /> <strong>{reviews.average.toFixed(1)}</strong> from{' '}
          {countText(reviews.count, 'review')}
        </p>
      )}
      {standing.hasLicense && standing.role === null ? (
        <ReviewForm listing={listing} hasReviewed={standing.hasReviewed} />
      ) : null}
      <ul class="reviews">
        {reviews.items.map((review) => (
          <li key={review.uid}>
            <ReviewCard review={review} />
          </li>
        ))}
      </ul>
      {reviews.total > reviews.items.length ? (
        <a href={`/games/${listing.vanity_name}/reviews`}>All {reviews.total} reviews</a>
      ) : null}
    </section>
  )
}

export function ReviewCard({ review }: { review: Review }) {
  return (
    <article class="review">
      <p class="row between">
        <span>
          <strong>{review.username}</strong> <Stars rating={review.rating} />
        </span>
        <span class="quiet small">
          {playTimeText(review.play_minutes)} ·{' '}
          <time dateTime={review.updated_at}>{review.updated_at.slice(0, 10)}</time>
        </span>
      </p>
      {review.text === '' ? null : <p class="text">{review.text}</p>}
    </article>
  )
}

export function Stars({ rating }: { rating: number }) {
  return (
    <span class="stars" role="img" aria-label={`${rating} of ${RATING_MAX} stars`}>
      {'★'.repeat(rating)}
      <span class="off">{'★'.repeat(RATING_MAX - rating)}</span>
    </span>
  )
}

function playTimeText(minutes: number): string {
  return minutes < 60
    ? `${countText(minutes, 'minute')} played`
    : `${countText(Math.floor(minutes / 60), 'hour')} played`
}

function ReviewForm({ listing, hasReviewed }: { listing: Listing; hasReviewed: boolean }) {
  return (
    <details class="panel">
      <summary>{hasReviewed ? 'Change your review' : 'Write a review'}</summary>
      <form class="form" method="post" action={`/games/${listing.vanity_name}/review`}>
        <fieldset class="field">
          <legend>Rating</legend>
          <div class="row">
            {Array.from({ length: RATING_MAX }, (_, index) => RATING_MAX - index).map((rating) => (
              <label key={rating} class="check">
                <input type="radio" name="rating" value={rating} required />
                {rating}
              </label>
            ))}
          </div>
        </fieldset>
        <div class="field">
          <label for="review-text">Review</label>
          <textarea class="input" id="review-text" name="text" maxLength={TEXT_MAX} />
        </div>
        <button class="button" type="submit">
          Publish review
        </button>
      </form>
    </details>
  )
}
