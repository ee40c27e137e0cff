import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { RATING_MAX, TEXT_MAX } from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { describeFault, FieldFault } from '../../kit/fault-summary.tsx'
import type { FormState } from '../../kit/form-check.ts'
import type { Standing } from '../standing.ts'

interface ReviewFormProps {
  visit: Visit
  listing: Listing
  standing: Standing
  sent: FormState | null
}

const RATING_WORDS = ['bad', 'weak', 'fine', 'good', 'great']

/** The visitor's own review, or what is required before they can write one. */
export function ReviewForm({ visit, listing, standing, sent }: ReviewFormProps) {
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
  return <OwnReview {...{ listing, standing, sent }} />
}

function OwnReview({ listing, standing, sent }: Omit<ReviewFormProps, 'visit'>) {
  const { review } = standing
  const faults = sent?.faults ?? []
  const rating = sent?.values.rating ?? String(review?.rating ?? '')
  const ratingField = { form: 'review', field: 'rating', faults }
  const textField = { form: 'review', field: 'text', faults }
  const action = `/games/${listing.vanity_name}/review`
  return (
    <div class="panel stack own-review">
      <h3>{review === null ? 'What do you think of it?' : 'Your review'}</h3>
      <form class="form" method="post" action={action}>
        <fieldset class="field" id="review-rating" {...describeFault(ratingField)}>
          <legend>Rating</legend>
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
          <FieldFault {...ratingField} />
        </fieldset>
        <div class="field">
          <label for="review-text">Review</label>
          <textarea
            class="input"
            id="review-text"
            name="text"
            maxLength={TEXT_MAX}
            {...describeFault(textField, 'review-hint')}
          >
            {sent?.values.text ?? review?.text ?? ''}
          </textarea>
          <FieldFault {...textField} />
          <p class="hint" id="review-hint">
            Plain text, up to {TEXT_MAX} characters. Your username and play time stand beside it.
          </p>
        </div>
        <button class="button" type="submit">
          {review === null ? 'Write a review' : 'Save review'}
        </button>
      </form>
      {review === null ? null : <DeleteReview listing={listing} />}
    </div>
  )
}

function DeleteReview({ listing }: Pick<ReviewFormProps, 'listing'>) {
  return (
    <form method="post" action={`/games/${listing.vanity_name}/review/delete`}>
      <button class="button plain" type="submit">
        Delete review
      </button>
    </form>
  )
}
