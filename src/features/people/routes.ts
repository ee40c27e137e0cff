import { Elysia, t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { PERSON_IMAGES } from '../../domain/people.ts'
import type { HttpKit } from '../../http/kit.ts'
import { failsWith } from '../../http/openapi/failures.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { Me } from '../accounts/model.ts'
import { getMe } from '../accounts/service.ts'
import { PERSON_BOXES, receivePersonImage, removePersonImage } from './pictures/service.ts'

const tags = ['Accounts']

/** The pictures of the signed-in account. */
export function peopleRoutes(kit: HttpKit, deps: Deps) {
  const routes = new Elysia({ name: 'people', prefix: '/api/v1/private/me' }).use(kit)
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
          detail: {
            tags,
            summary: `Set the ${kind}: a form with \`file\`, cropped and scaled to ${width}×${height}`,
            ...failsWith('rate_limited', 'storage_full'),
          },
        },
      )
      .delete(
        `/${kind}`,
        async ({ actor }) => {
          await removePersonImage(deps, actor.userUid, kind)
          return ok({})
        },
        {
          website: true,
          limit: 'account_write',
          response: Envelope(t.Object({})),
          detail: { tags, summary: `Remove the ${kind}` },
        },
      )
  }
  return routes
}
