interface TileProps {
  value: string
  label: string
  href?: string | undefined
  isBad?: boolean
}

/** One figure of a row of them. */
export function Tile({ value, label, href, isBad = false }: TileProps) {
  return (
    <li class={isBad ? 'tile bad' : 'tile'}>
      <strong>{value}</strong>
      {href === undefined ? <span>{label}</span> : <a href={href}>{label}</a>}
    </li>
  )
}
