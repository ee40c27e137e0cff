import type { EditableListing } from '../../../features/listings/page/model.ts'
import type { FormState } from '../../kit/form-state.ts'
import { FaultSummary, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { type Project, StudioPage } from '../frame/studio-frame.tsx'
import { BasicFields, DescriptionField, RelationFields } from './field-sections.tsx'
import {
  type Difference,
  FORM_FIELDS,
  formOfTexts,
  merge,
  textsOf,
  textsOfForm,
  writeBase,
} from './listing-form.ts'
import { LanguageFields, RequirementFields, TaxonomyFields } from './taxonomy.tsx'

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
        <LanguageFields {...{ listing, form }} />
        <RequirementFields {...{ listing, form }} />
        <RelationFields {...{ listing, form }} />
        <div class="save-bar">
          <Submit>Save</Submit>
          <p class="small quiet" role="status" data-save-state />
        </div>
      </form>
    </StudioPage>
  )
}

/** Shows both versions of each field if somebody else saved meanwhile. */
function Conflict({
  differences,
  listing,
}: {
  differences: readonly Difference[]
  listing: EditableListing
}) {
  return (
    <section class="panel stack" aria-labelledby="conflict-heading">
      <div class="notice warn" role="alert">
        <p>
          <strong id="conflict-heading">Somebody else saved this page while you were editing it.</strong>{' '}
          Nothing is lost: both versions are below, and the form still holds yours. Your text is saved once
          you choose Keep mine.
        </p>
      </div>
      {differences.map(({ name, theirs, mine, isTheirs }) => (
        <div key={name}>
          <h2>{FORM_FIELDS[name].label}</h2>
          <p class="quiet small">
            {isTheirs
              ? 'Only they changed it, so their version is in the form.'
              : 'You both changed it; your version is in the form.'}
          </p>
          <div class="versions">
            <Version title="Their version" text={theirs} />
            <Version title={isTheirs ? 'As it was when you began' : 'Your version'} text={mine} />
          </div>
        </div>
      ))}
      <p class="row">
        <Submit form="page-form">Keep mine</Submit>
        <a class="button second" href={`/studio/${listing.vanity_name}/page`}>
          Take theirs
        </a>
      </p>
    </section>
  )
}

function Version({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre class="version">{text === '' ? '(empty)' : text}</pre>
    </div>
  )
}
