import type { Card } from '../../features/catalog/pages/model.ts'
import { isPlayOffered, pathOf } from '../components/card.tsx'
import { PlayIcon } from '../components/icons.tsx'
import { useSystem } from '../components/once-a-page.tsx'
import { priceText } from '../kit/labels.tsx'

interface PickProps {
  card: Card
  /** Whether it is the largest picture that visitors see first. */
  isFirst?: boolean
  /** How wide the picture is shown, as `sizes` of an image. */
  sizes: string
}

/** A large picture with name, price and one button over it; nothing for a listing without a cover. */
export function FeaturedPick({ card, isFirst = false, sizes }: PickProps) {
  const picture = card.cover
  if (!picture) return null
  return (
    <article class="pick">
      <img
        src={pathOf(picture.url)}
        srcset={sourcesOf(card)}
        sizes={sizes}
        width={picture.width}
        height={picture.height}
        alt=""
        decoding="async"
        {...(isFirst && { fetchpriority: 'high' as const })}
      />
      <div class="caption">
        <h2 dir="auto">
          <a href={`/games/${card.vanity_name}`}>{card.name}</a>
        </h2>
        <p class="tagline" dir="auto">
          {card.tagline}
        </p>
        <p class="row">
          <PickButton card={card} />
          <span class="price">{priceText(card.price)}</span>
        </p>
      </div>
    </article>
  )
}

/** Plays what is free in the browser of this device; everything else is got on its page. */
export function PickButton({ card }: { card: Card }) {
  const { vanity_name, name, price } = card
  const ofGame = <span class="visually-hidden"> {name}</span>
  if (isPlayOffered(card, useSystem()))
    return (
      <a class="button" href={`/games/${vanity_name}/play`}>
        <PlayIcon />
        Play{ofGame}
      </a>
    )
  return (
    <a class="button" href={`/games/${vanity_name}`}>
      {price.free ? 'Get' : 'View'}
      {ofGame}
    </a>
  )
}

/** The pictures that a browser chooses from, the small one first. */
export function sourcesOf({ cover, thumbnail }: Card): string {
  return [thumbnail, cover]
    .flatMap((picture) => (picture ? [`${pathOf(picture.url)} ${picture.width}w`] : []))
    .join(', ')
}
