import type { MissedSearch } from '../../features/catalog/search/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Pager } from '../components/pager.tsx'
import { Table } from '../components/table.tsx'
import { Day } from '../kit/dates.tsx'
import { numberText } from '../kit/labels.ts'
import type { PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

interface SearchesPageProps {
  state: PageState
  searches: Paged<MissedSearch>
}

/** What people looked for and the store does not have: a wish list for developers, and for synonyms. */
export function SearchesPage({ state, searches }: SearchesPageProps) {
  return (
    <OperateFrame state={state} tab="/operate/searches" title="Searched, not found">
      <p class="lead">
        Words of the last 30 days that found nothing. Nothing is stored about who searched. What has another
        name here can become a synonym under <a href="/operate/settings">Settings</a>.
      </p>
      {searches.items.length === 0 ? (
        <div class="empty">
          <h2>Every search found something</h2>
          <p>Searches without a result are listed here, the most frequent first.</p>
        </div>
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
