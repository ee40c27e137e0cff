import type { Edition } from '../../../features/listings/pricing/model.ts'
import {
  KEY_LABEL_MAX,
  type KeyBatch,
  KEYS_PER_BATCH_MAX,
  OPEN_KEYS_MAX,
} from '../../../features/selling/keys/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/pager.tsx'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { numberText } from '../../kit/labels.ts'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'
import { Batch } from './batch.tsx'

const NOTICES = {
  deleted:
    'The batch is deleted: codes that nobody redeemed no longer work. Players keep what they redeemed.',
}

interface KeysPageProps {
  project: Project
  state: PageState
  batches: Paged<KeyBatch>
  editions: readonly Edition[]
}

export function KeysPage({ project, state, batches, editions }: KeysPageProps) {
  const { visit, refused } = state
  const base = `/studio/${project.listing.vanity_name}/keys`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="keys"
      lead="Codes to give away, to the press, to testers or in a bundle. Whoever redeems one has the title in their library."
      notices={NOTICES}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <MakeForm {...{ state, base, editions }} />
      <FieldGroup id="batches" title="Batches">
        {batches.total === 0 ? (
          <p class="quiet">No keys were made yet.</p>
        ) : (
          <ul class="records">
            {batches.items.map((batch) => (
              <li key={batch.uid}>
                <Batch {...{ batch, base }} />
              </li>
            ))}
          </ul>
        )}
        <Pager {...batches} url={visit.url} />
      </FieldGroup>
    </StudioPage>
  )
}

interface MakeFormProps extends Pick<KeysPageProps, 'state' | 'editions'> {
  base: string
}

function MakeForm({ state, base, editions }: MakeFormProps) {
  const field = { form: formOf(state, 'make'), scope: 'make' }
  return (
    <FieldGroup id="make" title="Make keys" hint="The codes are shown once, on the next page.">
      <PostForm action={base}>
        <TextField
          {...{ ...field, name: 'label', label: 'Label', limit: KEY_LABEL_MAX }}
          hint="Whom they are for. Only your team sees it."
          required
        />
        <div class="pair">
          <TextField
            {...{ ...field, name: 'count', label: 'How many', value: '1', inputMode: 'numeric' }}
            hint={`Up to ${numberText(KEYS_PER_BATCH_MAX)}, and ${numberText(OPEN_KEYS_MAX)} that nobody redeemed yet.`}
          />
          <TextField
            {...{ ...field, name: 'expires_at', label: 'Valid until (UTC)', type: 'datetime-local' }}
            hint="Empty: until you delete them."
          />
        </div>
        {editions.length === 0 ? null : (
          <SelectField
            {...{ ...field, name: 'edition_uid', label: 'Edition', value: '' }}
            options={[['', 'The listing itself'], ...editions.map(({ uid, name }) => [uid, name] as const)]}
          />
        )}
        <Submit>Make keys</Submit>
      </PostForm>
    </FieldGroup>
  )
}
