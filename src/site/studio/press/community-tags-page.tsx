import { SHOWN_MAX, type SuggestedTagPage, VOTES_TO_SHOW } from '../../../features/community/tags/model.ts'
import { Badge } from '../../components/badge.tsx'
import { Pager } from '../../components/pager.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { countText } from '../../kit/labels.ts'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  hidden: 'The tag is hidden. Its votes are kept.',
  shown: 'The tag may be shown again.',
}

interface CommunityTagsProps {
  project: Project
  state: PageState
  tags: SuggestedTagPage
  /** Minutes of play time required to suggest tags. */
  tagMinutes: number
}

export function CommunityTagsPage({ project, state, tags, tagMinutes }: CommunityTagsProps) {
  const { visit } = state
  return (
    <StudioPage
      {...{ visit, project }}
      tab="community-tags"
      lead={`Players who own the game and played for ${countText(tagMinutes, 'minute')} may suggest tags. One is shown once ${VOTES_TO_SHOW} players suggested it; at most ${SHOWN_MAX} are shown, and your own are not repeated.`}
      notices={NOTICES}
    >
      <FaultSummary form={formOf(state, 'tag')} />
      <FieldGroup id="suggested" title="Suggested tags">
        {tags.total === 0 ? (
          <p class="quiet">Nobody has suggested a tag yet.</p>
        ) : (
          <ul class="records">
            {tags.items.map(({ tag, votes, hidden, shown }) => (
              <li key={tag}>
                <div>
                  <p>{tag}</p>
                  <p class="quiet small">{countText(votes, 'vote')}</p>
                </div>
                <div class="row">
                  <Badge tone={shown ? 'good' : 'none'}>
                    {hidden ? 'Hidden' : shown ? 'Shown' : 'Not shown'}
                  </Badge>
                  <PostForm action={`/studio/${project.listing.vanity_name}/community-tags`} class="row">
                    <input type="hidden" name="tag" value={tag} />
                    <input type="hidden" name="hidden" value={String(!hidden)} />
                    <Submit look="second small">
                      {hidden ? 'Show' : 'Hide'} {tag}
                    </Submit>
                  </PostForm>
                </div>
              </li>
            ))}
          </ul>
        )}
        <Pager {...tags} url={visit.url} />
      </FieldGroup>
    </StudioPage>
  )
}
