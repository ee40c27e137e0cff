import type { ComponentChildren } from 'preact'

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
