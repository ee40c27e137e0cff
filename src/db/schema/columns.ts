import { type AnyPgColumn, customType, timestamp, uuid } from 'drizzle-orm/pg-core'

import { createUid } from '../../lib/ids.ts'

/** The primary key of each of our resources. */
export const uid = () => uuid('uid').primaryKey().$defaultFn(createUid)

/** What a row cannot be without: it is deleted with it. */
export const belongsTo = (name: string, owner: () => AnyPgColumn) =>
  uuid(name).notNull().references(owner, { onDelete: 'cascade' })

/** A timestamp with milliseconds, as the API returns it. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const createdAt = () => moment('created_at').notNull().defaultNow()

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
