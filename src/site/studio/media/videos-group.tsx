import { PROVIDER_LABELS, VIDEOS_MAX } from '../../../domain/listings/videos.ts'
import { FILE_BYTES_MAX, type Image } from '../../../features/listings/images/model.ts'
import { type Video, VIDEO_BYTES_MAX } from '../../../features/listings/videos/model.ts'
import { pathOf } from '../../components/card.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { FieldGroup, FileField, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/studio-frame.tsx'
import { Mover } from './mover.tsx'

const VIDEO_ACCEPT = 'video/mp4,video/webm'
const POSTER_ACCEPT = 'image/png,image/jpeg,image/webp'
const MB = 2 ** 20
const POSTER_HINT = `PNG, JPEG or WebP, up to ${FILE_BYTES_MAX / MB} MB. Shown before the video plays; without one the cover is shown.`

/** The videos of a page, with forms that work without script; the script shows how far an upload is. */
export function VideosGroup({ project, state }: { project: Project; state: PageState }) {
  const { videos, vanity_name, cover } = project.listing
  const base = `/studio/${vanity_name}/media/videos`
  return (
    <FieldGroup
      id="videos"
      title={`Videos (${videos.length} of ${VIDEOS_MAX})`}
      hint="They stand before the screenshots, in this order."
    >
      {videos.length === 0 ? (
        <p class="quiet">No videos yet. A trailer shows in half a minute what a page cannot.</p>
      ) : (
        <ol class="shots videos">
          {videos.map((video, index) => (
            <VideoItem
              key={video.uid}
              {...{ video, cover, index, base, state }}
              isLast={index === videos.length - 1}
            />
          ))}
        </ol>
      )}
      {videos.length >= VIDEOS_MAX ? (
        <p class="quiet">The page has all its videos. Delete one to add another.</p>
      ) : (
        <>
          <UploadForm action={base} form={formOf(state, 'video')} />
          <LinkForm action={`${base}/link`} form={formOf(state, 'video-link')} />
        </>
      )}
    </FieldGroup>
  )
}

function UploadForm({ action, form }: { action: string; form: FormState }) {
  return (
    <form class="drop form" method="post" action={action} encType="multipart/form-data" data-video-form>
      <FileField
        {...{ form, scope: 'video', name: 'file', label: 'Add a video file' }}
        accept={VIDEO_ACCEPT}
        hint={`MP4 or WebM, up to ${VIDEO_BYTES_MAX / MB} MB. H.264 or VP9 plays everywhere.`}
      />
      <FileField
        {...{ form, scope: 'video', name: 'poster', label: 'Poster (optional)' }}
        accept={POSTER_ACCEPT}
        hint={POSTER_HINT}
      />
      <progress max={1} value={0} aria-label="Progress of the video" hidden data-video-progress />
      <p class="row">
        <Submit look="second">Upload the video</Submit>
        <button type="button" class="button plain" data-video-stop hidden>
          Stop
        </button>
      </p>
    </form>
  )
}

function LinkForm({ action, form }: { action: string; form: FormState }) {
  const sites = Object.values(PROVIDER_LABELS).join(', ')
  return (
    <PostForm action={action} class="form">
      <TextField
        {...{ form, scope: 'video-link', name: 'url', label: 'Or the link of a video' }}
        inputMode="url"
        placeholder="https://"
        hint={`At ${sites}. Players see a still picture that leads there; nothing is loaded from it.`}
      />
      <p class="row">
        <Submit look="second">Add the link</Submit>
      </p>
    </PostForm>
  )
}

const NO_FORM: FormState = { values: new URLSearchParams(), faults: [] }

interface ItemProps {
  video: Video
  cover: Image | null
  index: number
  isLast: boolean
  base: string
  state: PageState
}

function VideoItem({ video, cover, index, isLast, base, state }: ItemProps) {
  const path = `${base}/${video.uid}`
  const isRefused = state.visit.url.pathname === `${path}/poster`
  const form = isRefused ? formOf(state, 'poster') : NO_FORM
  const scope = isRefused ? 'poster' : `poster-${video.uid}`
  const name = `video ${index + 1}`
  return (
    <li>
      <Preview {...{ video, cover, name }} />
      <div class="row between">
        <PostForm action={`${path}/move`} class="row">
          <Mover to={index - 1} isLast={index === 0} label={`Move ${name} earlier`} sign="←" />
          <Mover to={index + 1} isLast={isLast} label={`Move ${name} later`} sign="→" />
        </PostForm>
        <PostForm action={`${path}/delete`} class="row">
          <button type="submit" class="button plain" aria-label={`Delete ${name}`}>
            Delete
          </button>
        </PostForm>
      </div>
      <details open={form.faults.length > 0}>
        <summary>{video.poster === null ? 'Add a poster' : 'Replace the poster'}</summary>
        <form class="form" method="post" action={`${path}/poster`} encType="multipart/form-data">
          <FileField
            {...{ form, scope, name: 'poster', label: `Poster of ${name}` }}
            accept={POSTER_ACCEPT}
            hint={POSTER_HINT}
          />
          <Submit look="second">Save the poster</Submit>
        </form>
      </details>
    </li>
  )
}

function Preview({ video, cover, name }: Pick<ItemProps, 'video' | 'cover'> & { name: string }) {
  const still = video.poster ?? cover
  if (video.kind === 'file') {
    const { width, height } = video
    return (
      <video
        controls
        preload="none"
        src={pathOf(video.url)}
        width={width ?? undefined}
        height={height ?? undefined}
        {...(still && { poster: pathOf(still.url) })}
        aria-label={name}
      />
    )
  }
  return (
    <p class="video-link">
      {still === null ? null : (
        <img src={pathOf(still.url)} width={still.width} height={still.height} alt="" loading="lazy" />
      )}
      <a href={video.url} rel="nofollow noopener">
        {video.provider === null ? 'Video' : `At ${PROVIDER_LABELS[video.provider]}`}
      </a>
    </p>
  )
}
