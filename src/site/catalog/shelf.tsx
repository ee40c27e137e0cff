import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import { CardList } from '../components/card.tsx'
import { useRepeatedName } from '../components/once-a-page.tsx'

export const PER_SHELF = 8

export interface ShelfProps {
  title: string
  about: string
  cards: readonly Card[]
  /** The address of the complete list. */
  more?: string
  /** The id of the heading; by default made from the title, which must then be unique on the page. */
  id?: string
}

/** One row of cards under its heading; renders nothing without cards. */
export function Shelf({ title, about, cards, more, id = idOf(title) }: ShelfProps) {
  if (cards.length === 0) return null
  return <FilledShelf {...{ title, about, cards, id, ...(more !== undefined && { more }) }} />
}

function FilledShelf({ title, about, cards, more, id }: ShelfProps) {
  const name = useRepeatedName(title)
  return (
    <section class="shelf" {...(name === null ? { 'aria-labelledby': id } : { 'aria-label': name })}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about === '' ? null : <p>{about}</p>}
        </div>
        {more === undefined ? null : (
          <a href={more}>
            See all<span class="visually-hidden"> of {name ?? title}</span>
          </a>
        )}
      </header>
      <CardList cards={cards.slice(0, PER_SHELF)} />
    </section>
  )
}

export function CollectionShelf({ shown: { collection, cards } }: { shown: ShownCollection }) {
  const { slug, title, text } = collection
  return <Shelf {...{ title, cards }} id={`collection-${slug}`} about={text} more={`/collections/${slug}`} />
}

function idOf(title: string): string {
  return `shelf-${title.toLowerCase().replaceAll(' ', '-')}`
}
