import { t } from 'elysia'

import { Joined, Moment, Uid, writable } from '../../../http/input/schema.ts'
import { CollectionPatch, CollectionSummary } from '../../catalog/collections/model.ts'

/** `games` holds uids, so that the response can be sent back as an update. */
export const OperatorCollection = Joined([
  CollectionSummary,
  t.Object({ games: t.Array(Uid), created_at: Moment }),
])
export type OperatorCollection = typeof OperatorCollection.static

export const CollectionEdit = writable(CollectionPatch, OperatorCollection)
