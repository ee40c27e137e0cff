import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import type { ProfileLink } from '../../domain/actor.ts'
import { users } from './accounts.ts'
import { moment } from './columns.ts'
import { games } from './games/games.ts'

/** What people show on their page beside name and picture. Without a row it is empty. */
export const profiles = pgTable(
  'profiles',
  {
    userUid: uuid('user_uid')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Markdown, as written. */
    bio: text('bio').notNull().default(''),
    links: jsonb('links').$type<ProfileLink[]>().notNull().default([]),
    featuredUid: uuid('featured_uid').references(() => games.uid, { onDelete: 'set null' }),
    /** The object key of the banner. */
    bannerKey: text('banner_key'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('profiles_banner_key').on(table.bannerKey),
    index('profiles_featured_uid').on(table.featuredUid),
  ],
)
