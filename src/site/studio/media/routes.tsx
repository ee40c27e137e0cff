import type { Deps } from '../../../deps.ts'
import type { ImageKind } from '../../../domain/listings/listing.ts'
import {
  orderGallery,
  receiveImage,
  removeImage,
  saveImage,
} from '../../../features/listings/images/service.ts'
import {
  linkVideo,
  orderVideos,
  removeVideo,
  uploadPoster,
  uploadVideo,
} from '../../../features/listings/videos/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { MediaPage } from './media-page.tsx'

const videoUploads = () => ({ rawBody: true, page: true, limit: ['video_upload', 'listing_write'] }) as const
const uploads = () => ({ rawBody: true, page: true, limit: ['image_upload', 'listing_write'] }) as const

/** Cover, thumbnail and gallery. The script adds cropping, several files at once and dragging. */
export function mediaRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = (project, state) => <MediaPage {...{ project, state }} />

  const upload =
    (kind: ImageKind): TabAct =>
    async (project, _, context) => {
      const { user, listing } = project
      const whose = { accountUid: user.userUid, gameUid: listing.uid }
      await receiveImage(deps, context, whose, (file) => saveImage(deps, user, listing.uid, kind, file))
      return `${tabPath(project, 'media', 'uploaded')}#${kind}`
    }

  const remove: TabAct = async (project, _, { params }) => {
    await removeImage(deps, project.user, project.listing.uid, params.image_uid ?? '')
    return tabPath(project, 'media', 'removed')
  }

  /** Moves a picture of the gallery to another position, counted from 0. */
  const move: TabAct = async (project, form, { params }) => {
    const { gallery, uid } = project.listing
    const order = moved(gallery, params.image_uid ?? '', Number(form.get('to')))
    await orderGallery(deps, project.user, uid, order)
    return `${tabPath(project, 'media', 'moved')}#gallery`
  }

  const addVideo: TabAct = async (project, _, context) => {
    await uploadVideo(deps, project.user, project.listing.uid, context)
    return `${tabPath(project, 'media', 'video-added')}#videos`
  }

  const addLink: TabAct = async (project, form) => {
    await linkVideo(deps, project.user, project.listing.uid, form.get('url') ?? '')
    return `${tabPath(project, 'media', 'video-added')}#videos`
  }

  const deleteVideo: TabAct = async (project, _, { params }) => {
    await removeVideo(deps, project.user, project.listing.uid, params.video_uid ?? '')
    return `${tabPath(project, 'media', 'video-removed')}#videos`
  }

  const moveVideo: TabAct = async (project, form, { params }) => {
    const { videos, uid } = project.listing
    const order = moved(videos, params.video_uid ?? '', Number(form.get('to')))
    await orderVideos(deps, project.user, uid, order)
    return `${tabPath(project, 'media', 'moved')}#videos`
  }

  const savePoster: TabAct = async (project, _, context) => {
    const { video_uid = '' } = context.params
    await uploadPoster(deps, project.user, project.listing.uid, video_uid, context, 'poster')
    return `${tabPath(project, 'media', 'poster-saved')}#videos`
  }

  return createRoutes(kit, { name: 'studio-media', prefix: '/studio/:uid/media' })
    .get('', view(showTab), { page: true })
    .post('/cover', submit('cover', upload('cover'), showTab), uploads())
    .post('/thumbnail', submit('thumbnail', upload('thumbnail'), showTab), uploads())
    .post('/gallery', submit('gallery', upload('gallery'), showTab), uploads())
    .post('/videos', submit('video', addVideo, showTab), videoUploads())
    .post('/videos/link', submit('video-link', addLink, showTab), {
      page: true,
      limit: ['video_upload', 'listing_write'],
    })
    .post('/videos/:video_uid/delete', submit('videos', deleteVideo, showTab), changes())
    .post('/videos/:video_uid/move', submit('videos', moveVideo, showTab), changes())
    .post('/videos/:video_uid/poster', submit('poster', savePoster, showTab), uploads())
    .post('/images/:image_uid/delete', submit('images', remove, showTab), changes())
    .post('/images/:image_uid/move', submit('images', move, showTab), changes())
}

/** The uids with one of them moved to a position, counted from 0. */
function moved(items: readonly { uid: string }[], uid: string, to: number): string[] {
  const others = items.map((item) => item.uid).filter((other) => other !== uid)
  return others.toSpliced(to, 0, uid)
}
