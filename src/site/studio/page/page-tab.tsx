import type { FormState } from '../../kit/form-state.ts'
import { FaultSummary, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'
import { Conflict } from './conflict.tsx'
import { BasicFields, DescriptionField, RelationFields } from './field-sections.tsx'
import { formOfTexts, textsOf, textsOfForm } from './listing-form.ts'
import { type Difference, merge, writeBase } from './merge.ts'
import { AuthorFields, PlayFields, TaxonomyFields } from './taxonomy.tsx'

const STALE = 412

interface Edited {
  form: FormState
  differences: Difference[]
}

/** After a stale save the form shows both versions merged, and starts from the current page. */
function editedForm({ listing }: Project, state: PageState): Edited {
  const form = formOf(state, 'page')
  if (state.refused?.status !== STALE) return { form, differences: [] }
  const theirs = textsOf(listing)
  const { texts, differences } = merge(
    form.values.get('base') ?? '',
    theirs,
    textsOfForm(form.values, theirs),
  )
  return { form: { values: formOfTexts(texts), faults: [] }, differences }
}

export function PageTab({ project, state }: { project: Project; state: PageState }) {
  const { visit, query, refused } = state
  const { listing, revision } = project
  const { form, differences } = editedForm(project, state)
  const isStale = refused?.status === STALE
  const isSaved = query.done === 'saved' && refused === undefined
  // A form with faults stays based on the version it was opened with.
  const sent = isStale ? undefined : refused?.form.values
  return (
    <StudioPage
      {...{ visit, project }}
      tab="page"
      lead="What players read on the store page. Nothing changes until you save."
      notices={{ saved: 'The page is saved.' }}
      scripts={['studio', 'editor', 'picker']}
    >
      {isStale ? <Conflict differences={differences} listing={listing} /> : <FaultSummary form={form} />}
      <div id="draft" class="notice warn" role="status" hidden>
        <div class="row between">
          <p>This browser has text that was never saved.</p>
          <p class="row">
            <button type="button" class="button second" data-draft="restore">
              Restore it
            </button>
            <button type="button" class="button plain" data-draft="discard">
              Throw it away
            </button>
          </p>
        </div>
      </div>
      <form
        id="page-form"
        class="form editor"
        method="post"
        action={`/studio/${listing.vanity_name}/page`}
        noValidate
        data-editor={listing.uid}
        data-state={isSaved ? 'saved' : refused === undefined ? 'opened' : 'refused'}
      >
        <input type="hidden" name="revision" value={sent?.get('revision') ?? String(revision)} />
        <input type="hidden" name="base" value={sent?.get('base') ?? writeBase(textsOf(listing))} />
        <BasicFields {...{ listing, form }} />
        <DescriptionField {...{ listing, form }} />
        <TaxonomyFields {...{ listing, form }} />
        <PlayFields {...{ listing, form }} />
        <AuthorFields {...{ listing, form }} />
        <RelationFields {...{ listing, form }} />
        <div class="save-bar">
          <Submit>Save</Submit>
          <p class="small quiet" role="status" data-save-state />
        </div>
      </form>
    </StudioPage>
  )
}
