import type { ComponentChildren } from 'preact'

import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import { CardList } from '../components/card.tsx'
import { useRepeatedName } from '../components/once-a-page.tsx'

export const PER_SHELF = 8

export interface ShelfHead {
  title: string
  about: string
  /** The address of the complete list. */
  more?: string
  /** The id of the heading; by default made from the title, which must then be unique on the page. */
  id?: string
}

interface ShelfFrameProps extends ShelfHead {
  look?: 'scroller' | 'spread' | 'updates' | 'mosaic' | ''
  children: ComponentChildren
}

/** One row of a page under its heading. */
export function ShelfFrame({ title, about, more, id = idOf(title), look = '', children }: ShelfFrameProps) {
  const name = useRepeatedName(title)
  return (
    <section
      class={`shelf ${look}`}
      {...(name === null ? { 'aria-labelledby': id } : { 'aria-label': name })}
    >
      <header>
        <div>
          <h2 id={id} dir="auto">
            {title}
          </h2>
          {about === '' ? null : <p dir="auto">{about}</p>}
        </div>
        {more === undefined ? null : (
          <a href={more}>
            See all<span class="visually-hidden"> of {name ?? title}</span>
          </a>
        )}
      </header>
      {children}
    </section>
  )
}

/** The first cards of a collection; renders nothing without cards. */
export function CollectionShelf({ shown: { collection, cards } }: { shown: ShownCollection }) {
  if (cards.length === 0) return null
  const { slug, title, text } = collection
  return (
    <ShelfFrame id={`collection-${slug}`} title={title} about={text} more={`/collections/${slug}`}>
      <CardList cards={cards.slice(0, PER_SHELF)} />
    </ShelfFrame>
  )
}

function idOf(title: string): string {
  return `shelf-${title.toLowerCase().replaceAll(' ', '-')}`
}
