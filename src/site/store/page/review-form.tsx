import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { RATING_MAX, TEXT_MAX } from '../../../features/community/reviews/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { AreaField } from '../../kit/controls.tsx'
import { FieldSet } from '../../kit/field.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import type { Standing } from '../store-data.ts'

interface ReviewFormProps {
  visit: Visit
  listing: Listing
  standing: Standing
  form: FormState
}

const RATING_WORDS = ['bad', 'weak', 'fine', 'good', 'great']

/** The visitor's own review, or what is required before they can write one. */
export function ReviewForm({ visit, listing, standing, form }: ReviewFormProps) {
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
          hint={`Plain text, up to ${TEXT_MAX} characters. Your username and play time stand beside it.`}
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
