import type { Deps } from '../../deps.ts'
import { PERSON_IMAGES } from '../../domain/actor.ts'
import { done, Envelope, Nothing, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { Me } from '../accounts/model.ts'
import { getMe } from '../accounts/service.ts'
import { PERSON_BOXES, receivePersonImage, removePersonImage } from './pictures/service.ts'

/** The pictures of the signed-in account. */
export function peopleRoutes(kit: HttpKit, deps: Deps) {
  const routes = createRoutes(kit, { name: 'people', prefix: '/api/v1/private/me', tags: ['Accounts'] })
  for (const kind of PERSON_IMAGES) {
    const { width, height } = PERSON_BOXES[kind]
    routes
      .put(
        `/${kind}`,
        async (context) => {
          await receivePersonImage(deps, context.actor, kind, context)
          return ok(await getMe(deps, context.actor))
        },
        {
          rawBody: true,
          website: true,
          limit: 'image_upload',
          response: Envelope(Me),
          summary: `Set the ${kind}: a form with \`file\`, cropped and scaled to ${width}×${height}`,
          fails: ['rate_limited', 'storage_full'],
        },
      )
      .delete(`/${kind}`, async ({ actor }) => await done(removePersonImage(deps, actor.userUid, kind)), {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: `Remove the ${kind}`,
      })
  }
  return routes
}
