import { t } from 'elysia'

import { HEALTH_BANDS } from '../../../domain/health-bands.ts'
import { Integer, OneOf } from '../../../http/schema.ts'

/** A build with fewer devices is unrated. */
export const DEVICES_MIN = 20

const Count = (description: string) => Integer({ minimum: 0, description })

export const BuildHealth = t.Object({
  band: OneOf(HEALTH_BANDS),
  devices: Count('Devices that sent events.'),
  boot_ok: Count('Devices that sent `boot_ok`.'),
  crashed: Count('Devices that crashed before `boot_ok`.'),
  median_session_s: t.Nullable(Integer({ minimum: 0, description: 'Seconds; null without any session.' })),
})
export type BuildHealth = typeof BuildHealth.static
