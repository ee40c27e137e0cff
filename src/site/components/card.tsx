import type { Card as Listing } from '../../features/catalog/pages/model.ts'
import { HEALTH_TEXTS, priceText, SYSTEM_LABELS, TYPE_LABELS } from '../kit/labels.ts'
import { HealthBadge } from './badge.tsx'
import { PictureIcon, PlayIcon, SYSTEM_ICONS } from './icons.tsx'
import { useFirstCards } from './once-a-page.tsx'

/** Cards at the top of a page that are visible at once; their images are not loaded lazily. */
const SEEN_AT_ONCE = 4

interface CardListProps {
  cards: readonly Listing[]
  /** Whether the list is so far down that its first cards are not visible at once. */
  isBelow?: boolean
}

export function CardList({ cards, isBelow = false }: CardListProps) {
  const isFirst = useFirstCards() && !isBelow
  return (
    <ul class="cards">
      {cards.map((card, index) => (
        <li key={card.uid}>
          <Card card={card} eager={isFirst && index < SEEN_AT_ONCE} />
        </li>
      ))}
    </ul>
  )
}

function Card({ card, eager }: { card: Listing; eager: boolean }) {
  return (
    <article class="card">
      <Cover card={card} eager={eager} />
      <div class="body">
        <h3>
          <a href={`/games/${card.vanity_name}`}>{card.name}</a>
        </h3>
        <p class="quiet small">
          {card.asset_type === 'game' ? '' : `${TYPE_LABELS[card.asset_type]} by `}
          {card.developer.username}
        </p>
        <p class="tagline">{card.tagline}</p>
        <div class="facts">
          <span class="price">{priceText(card.price)}</span>
          <span class="row">
            {HEALTH_TEXTS[card.health.band].tone === 'none' ? null : <HealthBadge band={card.health.band} />}
            <Systems systems={card.platforms} />
          </span>
        </div>
        {card.playable && card.price.free ? (
          <a class="play-link" href={`/games/${card.vanity_name}/play`}>
            <PlayIcon />
            Play in browser<span class="visually-hidden">: {card.name}</span>
          </a>
        ) : null}
      </div>
    </article>
  )
}

function Cover({ card, eager }: { card: Listing; eager: boolean }) {
  const picture = card.thumbnail ?? card.cover
  if (!picture) {
    return (
      <div class="cover no-cover">
        <PictureIcon />
      </div>
    )
  }
  return (
    <img
      class="cover"
      src={pathOf(picture.url)}
      width={picture.width}
      height={picture.height}
      alt=""
      decoding="async"
      loading={eager ? 'eager' : 'lazy'}
    />
  )
}

/** Drops the host of our own images, so that they also load under another name of this server. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function Systems({ systems }: { systems: Listing['platforms'] }) {
  if (systems.length === 0) return null
  return (
    <ul class="systems" aria-label="Platforms">
      {systems.map((os) => {
        const SystemIcon = SYSTEM_ICONS[os]
        return (
          <li key={os} title={SYSTEM_LABELS[os]}>
            <SystemIcon />
            <span class="visually-hidden">{SYSTEM_LABELS[os]}</span>
          </li>
        )
      })}
    </ul>
  )
}
