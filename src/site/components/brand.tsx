import { DEFAULT_ACCENT } from '../../domain/palette.ts'
import type { StoreImageName } from '../../domain/store-settings.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { imagePath } from '../../features/settings/storefront.ts'
import type { Visit } from '../../http/visit.ts'
import { isEmail } from '../../lib/text/names.ts'
import { BrandIcon, CrossIcon } from './icons.tsx'

const ICON_SIDE = '192'

/** The link to the home page: the logo, or the icon and the name. */
export function Brand({ store }: { store: Storefront }) {
  const { settings, images } = store
  const icon = imagePath(images, 'icon', ICON_SIDE)
  return (
    <a class="brand" href="/">
      {images.logo || images.logo_dark ? (
        <Logo store={store} />
      ) : (
        <>
          {icon === null ? (
            <BrandIcon />
          ) : (
            <img class="brand-icon" src={icon} width="32" height="32" alt="" />
          )}
          <span>{settings.name}</span>
        </>
      )}
    </a>
  )
}

/** A store with only one logo shows it in both themes. */
function Logo({ store: { settings, images } }: { store: Storefront }) {
  const picture = (name: StoreImageName, shown: string) => (
    <img
      class={`logo ${shown}`}
      src={imagePath(images, name) ?? ''}
      width={images[name]?.width}
      height={images[name]?.height}
      alt={settings.name}
    />
  )
  if (!images.logo) return picture('logo_dark', '')
  if (!images.logo_dark) return picture('logo', '')
  return (
    <>
      {picture('logo', 'on-light')}
      {picture('logo_dark', 'on-dark')}
    </>
  )
}

/** The icon of the window, of a home screen, and the manifest that lists all of them. */
export function IconLinks({ store: { settings, images } }: { store: Storefront }) {
  const icon = imagePath(images, 'icon', '32')
  const touch = imagePath(images, 'icon', '180')
  return (
    <>
      {icon === null ? (
        <link rel="icon" href={faviconPath(settings.accent)} type="image/svg+xml" />
      ) : (
        <link rel="icon" href={icon} type="image/png" sizes="32x32" />
      )}
      {touch === null ? null : <link rel="apple-touch-icon" href={touch} />}
      <link rel="manifest" href="/manifest.webmanifest" />
    </>
  )
}

/** The address contains the colour, so that browsers do not show a cached icon of another colour. */
export function faviconPath(accent: string): string {
  return accent === DEFAULT_ACCENT ? '/favicon.svg' : `/favicon.svg?${accent.slice(1)}`
}

/** Shown above every page until the visitor dismisses it or it expires. */
export function Announcement({ visit }: { visit: Visit }) {
  const { announcement } = visit.store
  if (announcement === null) return null
  const { id, html, level } = announcement
  return (
    <aside class={`announcement ${level}`} aria-label="Announcement">
      <div class="wrap">
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        <form method="post" action="/announcement/dismiss">
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="next" value={visit.url.pathname + visit.url.search} />
          <button type="submit" class="dismiss">
            <CrossIcon />
            <span class="visually-hidden">Dismiss the announcement</span>
          </button>
        </form>
      </div>
    </aside>
  )
}

export function contactAddress(contact: string): string {
  return isEmail(contact) ? `mailto:${contact}` : contact
}

/** Where to ask for help. */
export function ContactLine({ contact }: { contact: string | null }) {
  if (contact === null) return null
  return (
    <p class="small">
      Do you need help? <a href={contactAddress(contact)}>Contact the people who run this store</a>
    </p>
  )
}
