import { and, eq, type SQL } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

import { MAIN_APP } from '../domain/builds/channels.ts'
import { apps } from './schema/builds.ts'

/** Joins the app of a build or channel if that is the game itself, not its server or another program. */
export function isMainApp(appUid: AnyPgColumn): SQL | undefined {
  return and(eq(apps.uid, appUid), eq(apps.slug, MAIN_APP))
}
