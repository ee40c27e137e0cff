import type { ComponentChildren } from 'preact'

import { numberText } from '../kit/labels.tsx'

interface EmptyProps {
  title: ComponentChildren
  /** Where to go instead. */
  link?: readonly [href: string, label: string]
  children: ComponentChildren
}

/** Stands where a list would be. */
export function Empty({ title, link, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {link === undefined ? null : (
        <a class="button" href={link[0]}>
          {link[1]}
        </a>
      )}
    </div>
  )
}

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

/** The heading of a column; headings of numbers are right-aligned like the numbers. */
type Column = string | { number: string }

interface TableProps {
  label: string
  columns: readonly Column[]
  /** The rows. */
  children: ComponentChildren
}

/** A table that scrolls inside its own box if it is wider than the page, also by keyboard. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>{columns.map(toHeading)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

function toHeading(column: Column) {
  if (typeof column === 'string')
    return (
      <th key={column} scope="col">
        {column}
      </th>
    )
  return (
    <th key={column.number} scope="col" class="number">
      {column.number}
    </th>
  )
}
