import { PROVIDER_LABELS } from '../../../domain/listings/videos.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { pathOf } from '../../components/card.tsx'
import { PlayIcon } from '../../components/icons.tsx'

type Video = Listing['videos'][number]

/** Those that stand beside each other on a wide screen. */
const SEEN_AT_ONCE = 3

/** Videos first. Pictures and videos link to themselves; with script they open in a dialog. */
export function MediaRail({ listing }: { listing: Listing }) {
  const { gallery, videos, name } = listing
  if (gallery.length + videos.length === 0) return null
  return (
    <section
      class="rail"
      aria-label={videos.length === 0 ? 'Screenshots' : 'Screenshots and videos'}
      data-gallery={name}
      tabIndex={0}
    >
      {videos.map((video, index) => (
        <VideoItem key={video.uid} {...{ listing, video }} number={index + 1} />
      ))}
      {gallery.map((picture, index) => (
        <a key={picture.uid} class="shot" href={pathOf(picture.url)}>
          <img
            src={pathOf(picture.url)}
            width={picture.width}
            height={picture.height}
            alt={`Screenshot ${index + 1} of ${name}`}
            decoding="async"
            loading={videos.length + index < SEEN_AT_ONCE ? 'eager' : 'lazy'}
          />
        </a>
      ))}
    </section>
  )
}

interface VideoItemProps {
  listing: Listing
  video: Video
  number: number
}

/**
 * A file of this store opens like a picture: the controls of a player cost as much to lay out as the rest of the page. A
 * video of another site is a link to it, so that nothing is asked there unasked.
 */
function VideoItem({ listing: { name, cover }, video, number }: VideoItemProps) {
  const poster = video.poster ?? cover
  const isFile = video.kind === 'file'
  const site = video.provider === null ? 'its site' : PROVIDER_LABELS[video.provider]
  return (
    <a
      {...(isFile
        ? { class: 'shot still', href: pathOf(video.url), 'data-kind': 'video' }
        : { class: 'still', href: video.url, rel: 'nofollow ugc noopener' })}
    >
      {poster ? (
        <img
          src={pathOf(poster.url)}
          width={poster.width}
          height={poster.height}
          alt=""
          loading="lazy"
          decoding="async"
        />
      ) : null}
      <span class="still-label">
        <PlayIcon />
        <span>
          Watch
          <span class="visually-hidden">
            {' '}
            Video {number} of {name}
          </span>
          {isFile ? null : ` on ${site}`}
        </span>
      </span>
    </a>
  )
}
