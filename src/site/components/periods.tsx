/** Links to the same figures over other numbers of days, and to those shown as CSV. */
export function Periods({ base, days, choices }: { base: string; days: number; choices: readonly number[] }) {
  return (
    <nav class="row" aria-label="Period">
      {choices.map((choice) => (
        <a
          key={choice}
          class="chip"
          href={`${base}?days=${choice}`}
          aria-current={choice === days ? 'page' : undefined}
        >
          {choice} days
        </a>
      ))}
      <a href={`${base}.csv?days=${days}`}>Download as CSV</a>
    </nav>
  )
}
