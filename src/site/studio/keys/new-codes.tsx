import type { NewKeys } from '../../../features/selling/keys/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { SecretPage } from '../../components/secret-page.tsx'
import { countText } from '../../kit/labels.ts'
import { csvOf } from '../frame/csv.ts'
import type { Project } from '../frame/project.ts'

interface NewCodesProps {
  visit: Visit
  made: NewKeys
  listing: Project['listing']
  baseUrl: string
}

/** The store keeps no code, so the file is part of the page. */
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
