import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { ImageKind } from '../../../domain/listings/listing.ts'
import {
  orderGallery,
  receiveImage,
  removeImage,
  saveImage,
} from '../../../features/listings/images/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { MediaPage } from './media-page.tsx'

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
    const others = gallery.map((image) => image.uid).filter((image) => image !== params.image_uid)
    await orderGallery(
      deps,
      project.user,
      uid,
      others.toSpliced(Number(form.get('to')), 0, params.image_uid ?? ''),
    )
    return `${tabPath(project, 'media', 'moved')}#gallery`
  }

  return new Elysia({ name: 'studio-media', prefix: '/studio/:uid/media' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('/cover', submit('cover', upload('cover'), showTab), uploads())
    .post('/thumbnail', submit('thumbnail', upload('thumbnail'), showTab), uploads())
    .post('/gallery', submit('gallery', upload('gallery'), showTab), uploads())
    .post('/images/:image_uid/delete', submit('images', remove, showTab), changes())
    .post('/images/:image_uid/move', submit('images', move, showTab), changes())
}
