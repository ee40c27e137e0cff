import {
  BODY_MAX,
  type ChangelogEntry,
  TITLE_MAX,
  VERSION_MAX,
} from '../../../features/listings/changelog/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { AreaField, TextField } from '../../components/fields.tsx'
import { FaultSummary, PostForm } from '../../components/form.tsx'
import { Pager } from '../../components/pager.tsx'
import { Prose } from '../../components/prose.tsx'
import { dateText } from '../../labels.ts'
import { formOf, type TabState } from '../../studio/handlers.ts'
import type { Project } from '../../studio/project.ts'
import { FieldGroup } from './field-group.tsx'
import { StudioPage } from './frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  added: 'The entry is on the store page.',
  deleted: 'The entry is deleted.',
}

interface ChangelogTabProps {
  project: Project
  state: TabState
  changes: Paged<ChangelogEntry>
}

export function ChangelogTab({ project, state, changes }: ChangelogTabProps) {
  const { visit, query } = state
  const base = `/studio/${project.listing.vanity_name}/changelog`
  const form = formOf(state, 'change')
  return (
    <StudioPage
      {...{ visit, project }}
      tab="changelog"
      lead="Tell players what is new. The newest entries are on the store page and the press page."
      notice={NOTICES[query.done ?? '']}
      scripts={['studio']}
    >
      <FaultSummary form={form} />
      <FieldGroup id="new-entry" title="New entry">
        <PostForm action={base}>
          <div class="pair">
            <TextField form={form} name="title" label="Title" limit={TITLE_MAX} />
            <TextField form={form} name="version" label="Version (optional)" limit={VERSION_MAX} />
          </div>
          <AreaField form={form} name="body" label="What changed (Markdown)" limit={BODY_MAX} />
          <button type="submit" class="button">
            Add entry
          </button>
        </PostForm>
      </FieldGroup>
      {changes.items.map(({ uid, title, version, created_at, body_html }) => (
        <article key={uid} class="panel stack">
          <div class="row between">
            <h2>{title}</h2>
            <PostForm action={`${base}/${uid}/delete`} class="row">
              <button type="submit" class="button plain" aria-label={`Delete ${title}`}>
                Delete
              </button>
            </PostForm>
          </div>
          <p class="quiet small">
            {dateText(created_at)}
            {version === null ? '' : `, ${version}`}
          </p>
          <Prose html={body_html} under={2} />
        </article>
      ))}
      <Pager {...changes} url={visit.url} />
    </StudioPage>
  )
}
