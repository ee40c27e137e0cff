import { t } from 'elysia'

import { ACT_SUBJECTS, OPERATOR_ACTS } from '../../domain/operator-acts.ts'
import { Moment, OneOf, Uid } from '../../http/input/schema.ts'

export const Act = t.Object({
  uid: Uid,
  at: Moment,
  operator: t.Object({ uid: t.Nullable(Uid), username: t.String() }),
  act: OneOf(OPERATOR_ACTS),
  subject: t.Object({
    kind: OneOf(ACT_SUBJECTS),
    id: t.Nullable(t.String()),
    name: t.String({ description: 'As it was called then.' }),
  }),
  reason: t.Nullable(t.String()),
})
export type Act = typeof Act.static
