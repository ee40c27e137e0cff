import type { Listing } from '../../../features/catalog/pages/model.ts'
import { pathOf } from '../../components/card.tsx'

/** Pictures link to themselves; with script they open in a dialog. */
export function MediaRail({ listing }: { listing: Listing }) {
  const { gallery, name } = listing
  if (gallery.length === 0) return null
  return (
    <section class="rail" aria-label="Screenshots" data-gallery={name} tabIndex={0}>
      {gallery.map((picture, index) => (
        <a key={picture.uid} href={pathOf(picture.url)}>
          <img
            src={pathOf(picture.url)}
            width={picture.width}
            height={picture.height}
            alt={`Screenshot ${index + 1} of ${name}`}
            decoding="async"
            loading={index < SEEN_AT_ONCE ? 'eager' : 'lazy'}
          />
        </a>
      ))}
    </section>
  )
}

/** Those that stand beside each other on a wide screen. */
const SEEN_AT_ONCE = 3
