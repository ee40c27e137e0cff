import type { MissedSearch } from '../../features/catalog/search/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager, Table } from '../components/lists.tsx'
import { Day, numberText } from '../kit/labels.tsx'
import type { PageProps } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

/** What people looked for and the store does not have: a wish list for developers, and for synonyms. */
export function SearchesPage({ state, searches }: PageProps<{ searches: Paged<MissedSearch> }>) {
  return (
    <OperateFrame state={state} tab="/operate/searches" title="Searched, not found">
      <p class="lead">
        Words of the last 30 days that found nothing. Nothing is stored about who searched. What has another
        name here can become a synonym under <a href="/operate/settings">Settings</a>.
      </p>
      {searches.items.length === 0 ? (
        <Empty title="Every search found something">
          Searches without a result are listed here, the most frequent first.
        </Empty>
      ) : (
        <Table label="Searched, not found" columns={['Words', { number: 'Searches' }, 'Last']}>
          {searches.items.map(({ words, count, last_day }) => (
            <tr key={words}>
              <td>
                <a href={`/search?find=${encodeURIComponent(words)}`} dir="auto">
                  {words}
                </a>
              </td>
              <td class="number">{numberText(count)}</td>
              <td>
                <Day at={last_day} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager {...searches} url={state.visit.url} />
    </OperateFrame>
  )
}
