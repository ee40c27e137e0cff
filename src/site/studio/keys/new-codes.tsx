import type { NewKeys } from '../../../features/selling/keys/model.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { countText } from '../../kit/labels.ts'
import { csvOf } from '../frame/csv.ts'
import type { Project } from '../frame/project.ts'

interface NewCodesProps {
  made: NewKeys
  listing: Project['listing']
  baseUrl: string
}

/** The store keeps no code, so the file is part of the page. */
export function NewCodes({ made, listing, baseUrl }: NewCodesProps) {
  const { codes, label, edition, expires_at } = made
  const rows = codes.map((code) => [code, listing.name, edition?.name ?? null, label, expires_at])
  const csv = csvOf([['code', 'game', 'edition', 'label', 'expires_at'], ...rows])
  return (
    <section class="panel stack" aria-labelledby="new-codes-heading">
      <h2 id="new-codes-heading">{countText(codes.length, 'new key')}</h2>
      <div class="notice warn" role="status">
        <p>Copy or download the codes now. They are not shown again.</p>
      </div>
      <CopyBlock id="new-codes" title={`Codes: ${label}`} text={codes.join('\n')} />
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
    </section>
  )
}
