import { t } from 'elysia'

import { HEALTH_BANDS } from '../../../domain/builds/health.ts'
import { Integer, OneOf } from '../../../http/input/schema.ts'

/** A build with fewer devices is unrated. */
export const DEVICES_MIN = 20
/** A network counts for at most the devices of all others divided by this, once those are `DEVICES_MIN`. */
export const NETWORK_PART = 5

const Count = (description: string) => Integer({ minimum: 0, description })

export const BuildHealth = t.Object({
  band: OneOf(HEALTH_BANDS),
  devices: Count('Devices that sent events and count; the band follows from these figures.'),
  boot_ok: Count('Counted devices that sent `boot_ok`.'),
  crashed: Count('Counted devices that crashed before `boot_ok`.'),
  left_out: Count(
    `Devices that do not count: with ${DEVICES_MIN} devices of other networks, one network counts for at most a fifth of those.`,
  ),
  median_session_s: t.Nullable(Integer({ minimum: 0, description: 'Seconds; null without any session.' })),
})
export type BuildHealth = typeof BuildHealth.static
