import { t } from 'elysia'

import {
  JAM_CODE_DAYS_MAX,
  JAM_CODE_LABEL_MAX,
  JAM_CODE_USES_MAX,
  LATE_LINK_DAYS_MAX,
} from '../../../domain/jams.ts'
import { Integer, Joined, Moment, Uid } from '../../../http/input/schema.ts'

const label = t.Optional(
  t.String({
    maxLength: JAM_CODE_LABEL_MAX * 2,
    description: `For hosts: whom it is for, at most ${JAM_CODE_LABEL_MAX} characters.`,
  }),
)
const expires = (days: number, standard: string) =>
  t.Optional(
    t.String({ format: 'date-time', description: `At most ${days} days ahead; ${standard} by default.` }),
  )

const closed = { additionalProperties: false }

export const JamCodeInput = t.Object(
  {
    label,
    uses: t.Optional(
      Integer({
        minimum: 1,
        maximum: JAM_CODE_USES_MAX,
        description: 'How many people it admits; 1 by default.',
      }),
    ),
    expires_at: expires(JAM_CODE_DAYS_MAX, `in ${JAM_CODE_DAYS_MAX} days`),
  },
  closed,
)
export type JamCodeInput = typeof JamCodeInput.static

export const LateLinkInput = t.Object({ label, expires_at: expires(LATE_LINK_DAYS_MAX, 'in a day') }, closed)
export type LateLinkInput = typeof LateLinkInput.static

export const JamCode = t.Object({
  uid: Uid,
  hint: t.String({ description: 'Its first characters.', examples: ['k3vq'] }),
  label: t.String(),
  uses: Integer({ minimum: 1 }),
  used: Integer({ minimum: 0 }),
  expires_at: Moment,
  created_at: Moment,
})
export type JamCode = typeof JamCode.static

export const NewJamCode = Joined([
  JamCode,
  t.Object({ code: t.String({ description: 'Shown once; only a hash is stored.' }) }),
])
export type NewJamCode = typeof NewJamCode.static

export const NewLateLink = Joined([
  JamCode,
  t.Object({
    code: t.String({ description: 'Shown once; only a hash is stored.' }),
    url: t.String({ format: 'uri', description: 'The page where it is used, with the code.' }),
  }),
])
export type NewLateLink = typeof NewLateLink.static
