import { SUGGESTIONS_MAX, VOTES_TO_SHOW } from '../../../features/community/tags/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { TextField } from '../../kit/controls.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import { countText } from '../../kit/labels.ts'
import { useAnchor } from '../../kit/outcome.tsx'
import type { StoreData } from '../store-data.ts'

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
      <h2 id={useAnchor('tags')}>Tags</h2>
      <TagList label="Tags" tags={tags} />
      {listing.community_tags.length === 0 ? null : (
        <>
          <h3>From the community</h3>
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
