import type { StoreSettings } from '../../domain/store-settings.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import { pathOf } from '../components/card.tsx'
import type { PreloadedPicture } from '../kit/layout.tsx'
import { FeaturedPick, sourcesOf } from './pick.tsx'

type HeroLayout = StoreSettings['hero_layout']

/** How wide the first picture is shown; `home.css` lays it out. */
const FIRST_SIZES: Readonly<Record<HeroLayout, string>> = {
  spotlight: '(width >= 60rem) 52rem, 100vw',
  split: '(width >= 60rem) 36rem, 100vw',
  banner: '(width >= 60rem) 58rem, 100vw',
}
const OTHER_SIZES = '(width >= 60rem) 26rem, (width >= 40rem) 50vw, 88vw'

interface HeroProps {
  settings: StoreSettings
  picks: readonly Card[]
}

/** The headline of the store with up to three listings; without any it stands on the accent. */
export function Hero({ settings: { hero, hero_layout: layout }, picks }: HeroProps) {
  return (
    <div class={`hero ${picks.length === 0 ? 'plain' : `hero-${layout}`}`}>
      <div class="hero-head">
        <h1 dir="auto">{hero.headline}</h1>
        {hero.text === '' ? null : (
          <p class="lead" dir="auto">
            {hero.text}
          </p>
        )}
      </div>
      {picks.length === 0 ? null : (
        <ul class="picks" aria-label="Featured">
          {picks.map((card, index) => (
            <li key={card.uid}>
              <FeaturedPick
                card={card}
                isFirst={index === 0}
                sizes={index === 0 || layout === 'banner' ? FIRST_SIZES[layout] : OTHER_SIZES}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The largest picture, which browsers should load before they have read the page. */
export function preloadOf({ settings, picks: [first] }: HeroProps): PreloadedPicture | undefined {
  if (!first?.cover) return undefined
  return {
    href: pathOf(first.cover.url),
    imageSrcSet: sourcesOf(first),
    imageSizes: FIRST_SIZES[settings.hero_layout],
  }
}
