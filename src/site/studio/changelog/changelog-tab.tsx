import { TITLE_MAX, VERSION_MAX, writeItemLines } from '../../../domain/builds/build-fields.ts'
import { BODY_MAX, type ChangelogEntry } from '../../../features/listings/changelog/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { Prose } from '../../components/prose.tsx'
import { EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { AreaField, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Day } from '../../kit/labels.tsx'
import { formOf, type PageProps } from '../../kit/pages.ts'
import { ChangeItems } from '../../listing/page/changelog.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  added: 'The entry is on the store page.',
  saved: 'The entry is saved.',
  deleted: 'The entry is deleted.',
}

export function ChangelogTab({ project, state, changes }: TabProps<{ changes: Paged<ChangelogEntry> }>) {
  const { visit, params, refused } = state
  // A rejected edit is shown at its entry, unless the entry was deleted.
  const isEdit = refused?.name === 'edit' && changes.items.some(({ uid }) => uid === params.entry_uid)
  const base = `/studio/${project.listing.vanity_name}/changelog`
  const form = formOf(state, 'change')
  return (
    <StudioPage
      {...{ visit, project }}
      tab="changelog"
      lead="Tell players what is new. The newest entries are on the store page and the press page. A build with a list of changes writes an entry by itself when it reaches stable."
      notices={NOTICES}
      scripts={['studio']}
    >
      <FaultSummary form={isEdit ? undefined : refused?.form} />
      <FieldGroup id="new-entry" title="New entry">
        <PostForm action={base}>
          <EntryFields form={form} />
          <Submit>Add entry</Submit>
        </PostForm>
      </FieldGroup>
      {changes.items.map((entry) => (
        <Entry key={entry.uid} {...{ entry, base, state }} />
      ))}
      <Pager {...changes} url={visit.url} />
    </StudioPage>
  )
}

function Entry({ entry, base, state }: PageProps<{ entry: ChangelogEntry; base: string }>) {
  const { uid, title, version, created_at, body_html, items } = entry
  const isRefused = state.params.entry_uid === uid && state.refused?.name === 'edit'
  const form = isRefused ? formOf(state, 'edit') : EMPTY_FORM
  return (
    <article class="panel stack">
      <div class="row between">
        <h2>{title}</h2>
        <PostForm action={`${base}/${uid}/delete`} class="row">
          <button type="submit" class="button plain" aria-label={`Delete ${title}`}>
            Delete
          </button>
        </PostForm>
      </div>
      <p class="quiet small">
        <Day at={created_at} />
        {version === null ? '' : `, ${version}`}
      </p>
      <Prose html={body_html} under={2} />
      <ChangeItems items={items} />
      <details open={isRefused}>
        <summary>
          Edit<span class="visually-hidden"> {title}</span>
        </summary>
        <FaultSummary form={form} scope={uid} />
        <PostForm action={`${base}/${uid}`}>
          <EntryFields form={form} entry={entry} />
          <Submit>
            Save<span class="visually-hidden"> {title}</span>
          </Submit>
        </PostForm>
      </details>
    </article>
  )
}

function EntryFields({ form, entry }: { form: FormState; entry?: ChangelogEntry }) {
  const shared = { form, ...(entry && { scope: entry.uid }) }
  return (
    <>
      <div class="pair">
        <TextField {...shared} name="title" label="Title" limit={TITLE_MAX} value={entry?.title ?? ''} />
        <TextField
          {...shared}
          name="version"
          label="Version (optional)"
          limit={VERSION_MAX}
          value={entry?.version ?? ''}
        />
      </div>
      <AreaField
        {...shared}
        name="items"
        label="Changes (optional)"
        hint="One per line; indented lines below describe it."
        value={writeItemLines(entry?.items ?? [])}
      />
      <AreaField
        {...shared}
        name="body"
        label="What changed (Markdown)"
        limit={BODY_MAX}
        value={entry?.body ?? ''}
      />
    </>
  )
}
