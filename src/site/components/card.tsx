import type { OperatingSystem } from '../../domain/builds/platforms.ts'
import type { SessionBucket } from '../../domain/listings/fields.ts'
import { playsOn } from '../../domain/listings/web-player.ts'
import type { Card as Listing, Parent } from '../../features/catalog/pages/model.ts'
import { HEALTH_TEXTS, HealthBadge, priceText, SYSTEM_LABELS, TYPE_LABELS } from '../kit/labels.tsx'
import { FollowedMarks } from './follows/followed-marks.tsx'
import { PlayIcon, SYSTEM_ICONS } from './icons.tsx'
import { useFirstCards, useSystem } from './once-a-page.tsx'

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
          <Card card={card} eager={isFirst && index < SEEN_AT_ONCE} isFirst={isFirst && index === 0} />
        </li>
      ))}
    </ul>
  )
}

function Card({ card, eager, isFirst }: { card: Listing; eager: boolean; isFirst: boolean }) {
  const facts = factsOf(card)
  return (
    <article class="card">
      <Cover {...{ card, eager, isFirst }} />
      <div class="body">
        <h3>
          <a href={`/games/${card.vanity_name}`} dir="auto">
            {card.name}
          </a>
        </h3>
        <p class="maker" dir="auto">
          {card.developer.display_name}
        </p>
        <p class="facts" dir={card.parent === null ? undefined : 'auto'}>
          {facts}
        </p>
        <FollowedMarks uid={card.uid} />
        {HEALTH_TEXTS[card.health.band].tone === 'bad' ? <HealthBadge band={card.health.band} /> : null}
        <div class="offer">
          <span class="price">{priceText(card.price)}</span>
          <Systems systems={card.platforms} />
        </div>
        {isPlayOffered(card, useSystem()) ? (
          <a class="play-link" href={`/games/${card.vanity_name}/play`}>
            <PlayIcon />
            <span>Play in browser</span>
            <span class="visually-hidden">: {card.name}</span>
          </a>
        ) : null}
      </div>
    </article>
  )
}

/** Whether a card offers to play it at once: what is free and opens in the browser of this device. */
export function isPlayOffered(card: Listing, os: OperatingSystem | null): boolean {
  return card.playable && card.price.free && playsOn(os, { mobile: card.playable_on_phones })
}

/** Shorter than elsewhere: a card on a phone is half as wide as the phone. */
const SESSION_TEXTS: Readonly<Record<SessionBucket, string>> = {
  '15m': '15 min',
  '1h': '1 hour',
  '3h': '3 hours',
  endless: 'Endless',
}

/** What one asks first about a listing, on one line: its kind, how long a session takes, and for how many it is if not for one. */
function factsOf({ asset_type, parent, taxonomy }: Listing): string {
  const { genres, engines, session_bucket, players_min, players_max } = taxonomy
  if (asset_type !== 'game') {
    if (parent !== null) return `${TYPE_LABELS[asset_type]} for ${nameOf(parent)}`
    return [TYPE_LABELS[asset_type], engines[0]].filter(Boolean).join(' · ')
  }
  const session = session_bucket === null ? undefined : SESSION_TEXTS[session_bucket]
  const most = players_max ?? players_min
  const players = most === null || most === 1 ? undefined : rangeText(players_min ?? most, most)
  return [capitalize(genres[0] ?? TYPE_LABELS.game), session, players].filter(Boolean).join(' · ')
}

function nameOf(parent: Parent): string {
  return 'name' in parent ? parent.name : parent.external_name
}

function rangeText(least: number, most: number): string {
  return least === most ? `${most} players` : `${least}–${most} players`
}

function capitalize(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

function Cover({ card, eager, isFirst }: { card: Listing; eager: boolean; isFirst: boolean }) {
  const picture = pictureOf(card)
  if (!picture) {
    return (
      <div class="cover no-cover initial" aria-hidden="true">
        {Array.from(card.name)[0]}
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
      fetchpriority={isFirst ? 'high' : undefined}
    />
  )
}

function pictureOf({ thumbnail, cover }: Listing) {
  return thumbnail ?? cover
}

/** The picture to preload on a page that begins with these cards: most likely its largest, and first, one. */
export function firstPictureOf(cards: readonly Listing[]): string | undefined {
  const picture = cards[0] && pictureOf(cards[0])
  return picture ? pathOf(picture.url) : undefined
}

/** Drops the host of our own images, so that they also load under another name of this server. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '')
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
