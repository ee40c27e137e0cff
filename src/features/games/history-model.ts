import { t } from 'elysia'

import { HISTORY_KINDS } from '../../domain/history.ts'
import { Moment, OneOf, Uid } from '../../http/input/schema.ts'

export const Change = t.Object({
  uid: Uid,
  kind: OneOf(HISTORY_KINDS),
  subject: t.String({ examples: ['1.2.0 for linux x86_64'] }),
  changed_at: Moment,
  changed_by: t.String({
    description: 'A username, or a program and the person it acted for.',
    examples: ['Release helper for ada'],
  }),
})
export type Change = typeof Change.static
