import { t } from 'elysia'

import { WEB_PLAYER_SIZES } from '../../../domain/listings/web-player.ts'
import { Integer } from '../../../http/input/schema.ts'

const { width, height } = WEB_PLAYER_SIZES

const fields = {
  width: Integer({ minimum: width.min, maximum: width.max }),
  height: Integer({ minimum: height.min, maximum: height.max }),
  isolation: t.Boolean(),
  autostart: t.Boolean(),
  signed_out: t.Boolean(),
  mobile: t.Boolean(),
}

/** What is left out has its default. */
export const WebPlayerInput = t.Partial(t.Object(fields), { additionalProperties: false })
export type WebPlayerInput = typeof WebPlayerInput.static

export const WebPlayer = t.Object(fields, {
  description: 'How web builds are played; null for the defaults.',
})
