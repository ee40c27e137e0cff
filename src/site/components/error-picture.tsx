/** A shelf of books: what happened to it tells the failures apart. Drawn for this site. */
export function ErrorPicture({ status }: { status: number }) {
  return (
    <svg class="error-picture" viewBox="0 0 240 130" aria-hidden="true">
      <g class="books">
        <rect x="30" y="42" width="20" height="72" rx="4" />
        <rect x="54" y="28" width="24" height="86" rx="4" />
        <rect x="82" y="50" width="18" height="64" rx="4" />
        <rect x="176" y="36" width="22" height="78" rx="4" />
      </g>
      <Middle status={status} />
      <rect class="board" x="14" y="114" width="212" height="8" rx="4" />
    </svg>
  )
}

/** The place in the middle: empty, locked, waiting, or with a book that fell over. */
function Middle({ status }: { status: number }) {
  if (status === 401 || status === 403)
    return (
      <g class="mark">
        <path class="line" d="M124 74V62a14 14 0 0 1 28 0v12" />
        <rect x="114" y="74" width="48" height="40" rx="7" />
      </g>
    )
  if (status === 429 || status === 503)
    return (
      <g class="mark">
        <circle class="line" cx="138" cy="80" r="31" />
        <path class="line" d="M138 62v19l13 8" />
      </g>
    )
  if (status >= 500)
    return <rect class="mark" x="112" y="40" width="22" height="76" rx="4" transform="rotate(24 123 78)" />
  return (
    <g class="mark">
      <rect class="line" x="106" y="32" width="26" height="80" rx="4" stroke-dasharray="7 6" />
      <rect class="line" x="140" y="46" width="24" height="66" rx="4" stroke-dasharray="7 6" />
    </g>
  )
}
