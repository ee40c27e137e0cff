import type { MailPicture, MailStore } from '../../clients/mail/mail-html.ts'
import { derivePalette } from '../../domain/palette.ts'
import type { RevisedSettings, StoreImageName } from '../../domain/store-settings.ts'
import { imagePath, MAIL } from '../settings/storefront.ts'

/** Twice the side at which it is shown, for sharp screens. */
const ICON_SIDE = '192'

/** What the mails of a store show of it. Deriving the palettes takes longer than writing a mail: make it once for many. */
export function mailStore(
  baseUrl: string,
  { settings, images }: Pick<RevisedSettings, 'settings' | 'images'>,
): MailStore {
  const { name, contact, accent } = settings
  const picture = (image: StoreImageName, variant?: string): MailPicture | null => {
    const path = imagePath(images, image, variant)
    const size = images[image]
    return path === null || !size ? null : { url: baseUrl + path, width: size.width, height: size.height }
  }
  return {
    name,
    contact,
    baseUrl,
    palettes: derivePalette(accent),
    logo: picture('logo', MAIL),
    darkLogo: picture('logo_dark', MAIL),
    icon: picture('icon', ICON_SIDE),
  }
}
