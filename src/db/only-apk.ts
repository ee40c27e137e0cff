import { sql } from 'drizzle-orm'

import { builds, fileEntries, files } from './schema/builds.ts'

/** Zips with more files are not searched for one. */
export const APK_SEARCH_MAX = 5000

/** What the Finder of macOS adds is none. */
export const isApk = sql`${fileEntries.path} ilike '%.apk' and ${fileEntries.path} not like '\\_\\_MACOSX/%'`

/** Whether the file is for Android and has exactly one package inside. */
export const hasOnlyApk = sql<boolean>`${builds.os} = 'android' and (
  select count(*) filter (where ${isApk}) = 1 and count(*) <= ${APK_SEARCH_MAX}
  from (select path from file_entries where file_uid = ${files.uid} limit ${APK_SEARCH_MAX + 1}) as file_entries)`
