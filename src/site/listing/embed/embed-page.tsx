import type { Storefront } from '../../../domain/storefront.ts'
import { palettePath } from '../../../features/settings/storefront.ts'
import { pathOf } from '../../components/card.tsx'
import { BrandIcon, PictureIcon } from '../../components/icons.tsx'
import { STYLES } from '../../kit/assets.ts'
import { priceText } from '../../kit/labels.tsx'
import { type Action, chooseFor } from '../page/choice.ts'
import type { StoreData } from '../store-data.ts'

const ACTION_LABELS = {
  play: 'Play',
  buy: 'Buy',
  get: 'Get',
  download: 'Download',
} as const satisfies Record<NonNullable<Action>, string>

interface EmbedPageProps {
  store: Storefront
  shown: Pick<StoreData, 'listing' | 'sale'>
}

/** A listing in another website: a picture, the price and one link. Needs no script and sets no cookie. */
export function EmbedPage({ store, shown }: EmbedPageProps) {
  const { listing } = shown
  const { settings, looks, palette } = store
  const { name, cover, accent, developer, price, url } = listing
  const picture = listing.thumbnail ?? cover
  const colours = accent === null || !settings.page_accent ? palette : palettePath(accent)
  const word = wordFor(shown)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${name} · ${settings.name}`}</title>
        <link rel="canonical" href={url} />
        <link rel="stylesheet" href={STYLES.embed.path} />
        {looks === null ? null : <link rel="stylesheet" href={looks} />}
        {colours === null ? null : <link rel="stylesheet" href={colours} />}
      </head>
      <body>
        <main class="embed">
          <a class="embed-picture" href={url} target="_blank" rel="noopener" tabIndex={-1} aria-hidden="true">
            {picture === null ? (
              <PictureIcon />
            ) : (
              <img src={pathOf(picture.url)} width={picture.width} height={picture.height} alt="" />
            )}
          </a>
          <div class="embed-body">
            <h1 dir="auto">
              <a href={url} target="_blank" rel="noopener">
                {name}
              </a>
            </h1>
            <p class="embed-by" dir="auto">
              by {developer.display_name}
            </p>
            <div class="embed-action">
              <span class="embed-price">{priceText(price)}</span>
              <a class="embed-button" href={url} target="_blank" rel="noopener">
                {word}
                <span class="embed-hidden"> {name}</span>
              </a>
            </div>
            <p class="embed-store">
              <BrandIcon /> {settings.name}
            </p>
          </div>
        </main>
      </body>
    </html>
  )
}

/** What a visitor whose system nobody knows yet can do. */
function wordFor({ listing, sale }: EmbedPageProps['shown']): string {
  const standing = { os: null, isTheirs: false, mayDownload: listing.anonymous_downloads, isOpen: true }
  const { action } = chooseFor(listing, standing)
  const cannotBuy = action === 'buy' && sale?.isForSale !== true
  return action === null || cannotBuy ? 'Open' : ACTION_LABELS[action]
}
