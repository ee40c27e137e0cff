import type { BuildDifference, EntryDifference } from '../../../features/builds/difference/service.ts'
import type { Page } from '../../../lib/paging.ts'
import { Badge } from '../../components/badge.tsx'
import { Pager } from '../../components/pager.tsx'
import { Table } from '../../components/table.tsx'
import { bytesText, countText } from '../../kit/labels.ts'

const KINDS = {
  added: { tone: 'good', label: 'Added' },
  removed: { tone: 'bad', label: 'Removed' },
  changed: { tone: 'fair', label: 'Changed' },
} as const

interface DifferenceProps {
  difference: BuildDifference | null
  page: Page
  url: URL
}

/** Which inner files differ from those of the build before. */
export function Difference({ difference, page, url }: DifferenceProps) {
  return (
    <section class="panel stack" aria-labelledby="difference-heading">
      <h3 id="difference-heading">
        {difference ? `Difference to ${difference.before.version}` : 'Difference to the build before'}
      </h3>
      {difference ? (
        <Compared {...{ difference, page, url }} />
      ) : (
        <p class="quiet">This is the first build of its platform with a clean file.</p>
      )}
    </section>
  )
}

function Compared({ difference, page, url }: DifferenceProps & { difference: BuildDifference }) {
  const { added, removed, changed, same, rows } = difference
  const total = added + removed + changed
  return (
    <>
      <p>
        {countText(added, 'file')} added, {countText(removed, 'file')} removed, {countText(changed, 'file')}{' '}
        changed, {countText(same, 'file')} the same.
      </p>
      {rows.length === 0 ? null : (
        <Table label="Files that differ" columns={['Path', 'What', 'Before', 'Now']}>
          {rows.map((row) => (
            <Row key={row.path} {...row} />
          ))}
        </Table>
      )}
      <Pager page={page.page} page_size={page.page_size} total={total} url={url} />
    </>
  )
}

function Row({ path, kind, size, sizeBefore }: EntryDifference) {
  const { tone, label } = KINDS[kind]
  return (
    <tr>
      <th scope="row">
        <bdi>{path}</bdi>
      </th>
      <td>
        <Badge tone={tone}>{label}</Badge>
      </td>
      <td>{sizeBefore === null ? '–' : bytesText(sizeBefore)}</td>
      <td>{size === null ? '–' : bytesText(size)}</td>
    </tr>
  )
}
