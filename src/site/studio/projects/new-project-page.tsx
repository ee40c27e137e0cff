import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { VANITY_MAX, VANITY_MIN } from '../../../features/listings/page/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { NAME_MAX } from '../../../lib/text/names.ts'
import { SelectField, TextField } from '../../kit/controls.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { TYPE_LABELS } from '../../kit/labels.ts'
import { Layout } from '../../kit/layout.tsx'

const TYPES = ASSET_TYPES.map((type) => [type, TYPE_LABELS[type]] as const)

export function NewProjectPage({ visit, form }: { visit: Visit; form: FormState }) {
  return (
    <Layout visit={visit} title="New project" style="studio" scripts={['studio']}>
      <div class="studio-start stack">
        <h1>New project</h1>
        <p class="lead">It starts as a draft that only you can see. Everything can be changed later.</p>
        <FaultSummary form={form} />
        <PostForm action="/studio/new" class="form panel">
          <TextField form={form} name="name" label="Name" limit={NAME_MAX} />
          <SelectField
            form={form}
            name="asset_type"
            label="Type"
            value="game"
            options={TYPES}
            hint="Tools, mods and plugins belong to a game or application, which you name on the page tab."
          />
          <TextField
            form={form}
            name="vanity_name"
            label="Address"
            placeholder="my-game"
            hint={`The end of /games/… in the address: ${VANITY_MIN} to ${VANITY_MAX} of a-z, 0-9 and -. Left empty it is made from the name, if that has such letters.`}
          />
          <p class="row">
            <Submit>Create project</Submit>
            <a class="button plain" href="/studio">
              Cancel
            </a>
          </p>
        </PostForm>
      </div>
    </Layout>
  )
}
