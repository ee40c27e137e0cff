import type { KeyBatch } from '../../../features/selling/keys/model.ts'
import { Badge } from '../../components/badge.tsx'
import { Table } from '../../components/table.tsx'
import { Moment } from '../../kit/dates.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { numberText } from '../../kit/labels.ts'

/** How many of a batch are open and redeemed, and by whom. */
export function Batch({ batch, base }: { batch: KeyBatch; base: string }) {
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
