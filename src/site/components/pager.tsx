import { numberText } from '../kit/labels.ts'

interface PagerProps {
  page: number
  page_size: number
  total: number
  /** The address of the list; parameters other than the page are preserved. */
  url: URL
}

/** Links to the previous and next page. */
export function Pager({ page, page_size, total, url }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / page_size))
  if (last === 1) return null
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? (
        <a class="button second" rel="prev" href={addressOf(url, Math.min(page - 1, last))}>
          Previous page
        </a>
      ) : null}
      <span class="quiet small">
        Page {numberText(page)} of {numberText(last)}
      </span>
      {page < last ? (
        <a class="button second" rel="next" href={addressOf(url, page + 1)}>
          Next page
        </a>
      ) : null}
    </nav>
  )
}

function addressOf({ pathname, searchParams }: URL, page: number): string {
  const query = new URLSearchParams(searchParams)
  if (page === 1) query.delete('page')
  else query.set('page', String(page))
  return query.size === 0 ? pathname : `${pathname}?${query.toString()}`
}
