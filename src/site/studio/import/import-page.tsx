import { type Group, GROUPS, type Preview } from '../../../features/extstore/import/model.ts'
import type { ListingSummary } from '../../../features/listings/page/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Empty, Table } from '../../components/lists.tsx'
import type { FormState } from '../../kit/form-state.ts'
import {
  Check,
  ChecksField,
  FaultSummary,
  PostForm,
  SelectField,
  Submit,
  TextField,
} from '../../kit/form.tsx'
import { Badge, countText } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { Comparison } from './compare.ts'

export const GROUP_LABELS: Readonly<Record<Group, string>> = {
  text: 'Texts',
  taxonomy: 'Genres, tags and the like',
  status: 'Status',
  images: 'Pictures',
  press: 'Press kit',
  price: 'Price',
  age: 'Age and content warnings',
  store_link: 'Store link',
}

interface ImportProps {
  visit: Visit
  form: FormState
  /** null until the store was asked. */
  preview: Preview | null
  comparison: Comparison | null
  projects: readonly ListingSummary[]
  isDeveloper: boolean
}

export function ImportPage({ visit, form, preview, comparison, projects, isDeveloper }: ImportProps) {
  const title = `Import from ${visit.store.externalStore}`
  return (
    <Layout visit={visit} title={title} style="studio" scripts={['studio']}>
      <div class="studio-start wide stack">
        <h1>{title}</h1>
        <p class="lead">
          First you see, field by field, what would change. Nothing is written until you import.
        </p>
        <FaultSummary form={form} />
        {isDeveloper ? (
          <>
            {preview && comparison ? <Compared {...{ form, preview, comparison }} /> : null}
            <AskForm {...{ form, projects }} />
          </>
        ) : (
          <Empty title="Developer mode is off" link={['/account/profile#profile', 'To your account']}>
            An import needs developer mode. Turn it on in your account, then come back.
          </Empty>
        )}
      </div>
    </Layout>
  )
}

function AskForm({ form, projects }: Pick<ImportProps, 'form' | 'projects'>) {
  const targets = projects.map(({ uid, name }) => [uid, name] as const)
  return (
    <PostForm action="/studio/import/preview" class="form panel">
      <h2>What to import</h2>
      <TextField
        form={form}
        name="app_id"
        label="App"
        placeholder="620"
        hint="The number of the app, or the link of its store page. Only games can be imported."
      />
      <TextField
        form={form}
        name="web_api_key"
        label="Web API key"
        hint="A publisher key that covers the app: 32 of 0-9 and A-F. Not saved unless you turn sign-in on."
      />
      <SelectField
        form={form}
        name="game_uid"
        label="Into"
        value=""
        options={[['', 'A new draft'], ...targets]}
      />
      <ChecksField
        form={
          form.values.has('groups') || form.faults.length > 0
            ? form
            : { ...form, values: new URLSearchParams() }
        }
        name="groups"
        label="Parts"
        picked={[...GROUPS]}
        options={GROUPS.map((group) => [group, GROUP_LABELS[group]])}
      />
      <Submit>Show what would change</Submit>
    </PostForm>
  )
}

interface ComparedProps {
  form: FormState
  preview: Preview
  comparison: Comparison
}

/** The present values beside those that the import would write. */
function Compared({ form, preview, comparison: { listing, fields } }: ComparedProps) {
  return (
    <section class="panel stack" aria-labelledby="comparison-heading">
      <h2 id="comparison-heading">
        {listing === null ? 'A new draft would be' : `${listing.name} would change like this`}
      </h2>
      <Table label="Comparison" columns={['Field', 'Now', 'From the store']}>
        {fields.map(({ label, now, next }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{now === next ? <span class="quiet">The same</span> : <Value text={now} />}</td>
            <td>
              <Value text={next} />
            </td>
          </tr>
        ))}
        {preview.skipped.map(({ field, reason }) => (
          <tr key={field}>
            <th scope="row">{field.replaceAll('_', ' ')}</th>
            <td>
              <span class="quiet">Stays</span>
            </td>
            <td>
              <Badge tone="warn">Skipped</Badge> {reason}
            </td>
          </tr>
        ))}
      </Table>
      <p class="quiet small">
        {countText(preview.screenshots.length, 'screenshot')} found. Never imported:{' '}
        {preview.not_imported.map((field) => field.replaceAll('_', ' ')).join(', ')}.
      </p>
      <PostForm action="/studio/import">
        {[...form.values].map(([name, value]) => (
          <input key={name + value} type="hidden" name={name} value={value} />
        ))}
        <Check
          name="enable_auth"
          label="Also turn on sign-in through the store"
          checked={false}
          hint="Saves the Web API key, encrypted, and creates the keys of sign-in."
        />
        <Submit>Import</Submit>
      </PostForm>
    </section>
  )
}

function Value({ text }: { text: string }) {
  return text === '' ? <span class="quiet">Empty</span> : <span class="long-value">{text}</span>
}
