import type { ComponentChildren } from 'preact'

/** The heading of a column; one of numbers stands to the right like its numbers. */
type Column = string | { number: string }

interface TableProps {
  label: string
  columns: readonly Column[]
  /** The rows. */
  children: ComponentChildren
}

/** A table that scrolls by itself when it is wider than the page, by keyboard too. */
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
