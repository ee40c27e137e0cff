import type { Edition } from '../../../features/listings/pricing/model.ts'
import {
  KEY_LABEL_MAX,
  type KeyBatch,
  KEYS_PER_BATCH_MAX,
  type NewKeys,
  OPEN_KEYS_MAX,
} from '../../../features/selling/keys/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Pager, Table } from '../../components/lists.tsx'
import { SecretPage } from '../../components/secret-page.tsx'
import { FaultSummary, FieldGroup, PostForm, SelectField, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText, Moment, numberText } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { csvOf } from '../frame/csv.ts'
import { type Project, StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES = {
  deleted:
    'The batch is deleted: codes that nobody redeemed no longer work. Players keep what they redeemed.',
}

interface KeysPageProps extends TabProps {
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

/** How many of a batch are open and redeemed, and by whom. */
function Batch({ batch, base }: { batch: KeyBatch; base: string }) {
  const { uid, label, edition, count, open, redeemed, created_at, created_by, expires_at } = batch
  return (
    <>
      <div>
        <p>
          <strong>{label}</strong> <State batch={batch} />
        </p>
        <p>
          {edition === null ? '' : `${edition.name}: `}
          {numberText(redeemed)} of {numberText(count)} redeemed
          {open === 0 ? '' : `, ${numberText(open)} open`}
        </p>
        <p class="quiet small">
          Made <Moment at={created_at} />
          {created_by === null ? '' : ` by ${created_by}`}
          {expires_at === null ? null : (
            <>
              , valid until <Moment at={expires_at} />
            </>
          )}
        </p>
      </div>
      {batch.ended_at === null && redeemed < count ? (
        <PostForm action={`${base}/${uid}/delete`} class="row">
          <Submit look="plain">
            Delete<span class="visually-hidden"> the batch {label}</span>
          </Submit>
        </PostForm>
      ) : null}
      {redeemed === 0 ? null : <Redemptions {...{ batch, base }} />}
    </>
  )
}

function State({ batch: { open, count, redeemed, ended_at } }: { batch: KeyBatch }) {
  if (open > 0) return <Badge tone="good">Open</Badge>
  if (ended_at !== null) return <Badge>Ended</Badge>
  return redeemed === count ? <Badge>All redeemed</Badge> : <Badge tone="warn">Expired</Badge>
}

function Redemptions({ batch, base }: { batch: KeyBatch; base: string }) {
  const { uid, label, redeemed, redemptions } = batch
  const hidden = redeemed - redemptions.length
  return (
    <details class="edit">
      <summary>
        Who redeemed<span class="visually-hidden"> {label}</span>
      </summary>
      <div class="stack">
        <Table label={`Who redeemed ${label}`} columns={['Player', 'When']}>
          {redemptions.map(({ username, redeemed_at }, index) => (
            <tr key={index}>
              <th scope="row">{username ?? 'A deleted account'}</th>
              <td>
                <Moment at={redeemed_at} />
              </td>
            </tr>
          ))}
        </Table>
        <p class="small">
          {hidden > 0 ? `And ${numberText(hidden)} before them. ` : ''}
          <a href={`${base}/${uid}/redeemed.csv`}>
            Download as CSV<span class="visually-hidden">: who redeemed {label}</span>
          </a>
        </p>
      </div>
    </details>
  )
}

interface NewCodesProps {
  visit: Visit
  made: NewKeys
  listing: Project['listing']
  baseUrl: string
}

/** The store keeps no codes, so the file to download is embedded in the page. */
export function NewCodesPage({ visit, made, listing, baseUrl }: NewCodesProps) {
  const { codes, label, edition, expires_at } = made
  const rows = codes.map((code) => [code, listing.name, edition?.name ?? null, label, expires_at])
  const csv = csvOf([['code', 'game', 'edition', 'label', 'expires_at'], ...rows])
  return (
    <SecretPage
      visit={visit}
      title={countText(codes.length, 'new key')}
      warning="Copy or download the codes now. They are not shown again."
      back={`/studio/${listing.vanity_name}/keys#batches`}
    >
      <CopyBlock under={1} id="new-codes" title={`Codes: ${label}`} text={codes.join('\n')} />
      <p>
        Players redeem them at <a href="/redeem">{`${baseUrl}/redeem`}</a>.
      </p>
      <p>
        <a
          class="button second"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`}
          download={`${listing.vanity_name}-keys.csv`}
        >
          Download as CSV
        </a>
      </p>
    </SecretPage>
  )
}
