import { timestamp, uuid } from 'drizzle-orm/pg-core'

import { createUid } from '../../lib/ids.ts'

/** Primary key of every resource of ours. */
export const uid = () => uuid('uid').primaryKey().$defaultFn(createUid)

/** A moment with milliseconds, as the wire shows it. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const createdAt = () => moment('created_at').notNull().defaultNow()
