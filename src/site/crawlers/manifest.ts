import { derivePalette } from '../../domain/palette.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { ICON_SIDES, imagePath } from '../../features/settings/storefront.ts'
import { faviconPath } from '../components/brand.tsx'

/** The web app manifest: how devices name and draw the store. */
export function writeManifest({ settings, images }: Storefront): string {
  const { name, description, accent } = settings
  const { light } = derivePalette(accent)
  const icons = ICON_SIDES.flatMap((side) => {
    const src = imagePath(images, 'icon', String(side))
    return src === null ? [] : [{ src, sizes: `${side}x${side}`, type: 'image/png' }]
  })
  return JSON.stringify({
    name,
    short_name: name,
    description,
    start_url: '/',
    display: 'minimal-ui',
    theme_color: light.accent,
    background_color: light.page,
    icons: icons.length > 0 ? icons : [{ src: faviconPath(accent), sizes: 'any', type: 'image/svg+xml' }],
  })
}
