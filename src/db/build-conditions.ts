import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

import { MAIN_APP } from '../domain/builds/channels.ts'
import { apps, builds, fileEntries, files } from './schema/builds.ts'

/** Joins the app of a build or channel if that is the game itself, not its server or another program. */
export function isMainApp(appUid: AnyPgColumn): SQL | undefined {
  return and(eq(apps.uid, appUid), eq(apps.slug, MAIN_APP))
}

/** Zips with more files than this are not searched for a package. */
export const APK_SEARCH_MAX = 5000

/** Leaves out the files that the Finder of macOS adds. */
export const isApk = sql`${fileEntries.path} ilike '%.apk' and ${fileEntries.path} not like '\\_\\_MACOSX/%'`

/** Whether the file is for Android and has exactly one package inside. */
export const hasOnlyApk = sql<boolean>`${builds.os} = 'android' and (
  select count(*) filter (where ${isApk}) = 1 and count(*) <= ${APK_SEARCH_MAX}
  from (select path from file_entries where file_uid = ${files.uid} limit ${APK_SEARCH_MAX + 1}) as file_entries)`
