import type { Listing } from '../../../features/catalog/pages/model.ts'
import { pathOf } from '../../components/card.tsx'

/** Thumbnails link to the images; with script they open in a dialog. */
export function Gallery({ listing }: { listing: Listing }) {
  const { cover, gallery, name } = listing
  const pictures = gallery.length > 0 ? gallery : cover ? [cover] : []
  const [first, ...rest] = pictures
  if (!first) return null
  return (
    <section class="gallery" aria-label="Screenshots" data-gallery={name}>
      {[first, ...rest].map((picture, index) => (
        <a key={picture.uid} href={pathOf(picture.url)} class={index === 0 ? 'first' : ''}>
          <img
            src={pathOf(picture.url)}
            width={picture.width}
            height={picture.height}
            alt={`Screenshot ${index + 1} of ${name}`}
            decoding="async"
            loading={index === 0 ? 'eager' : 'lazy'}
          />
        </a>
      ))}
    </section>
  )
}
