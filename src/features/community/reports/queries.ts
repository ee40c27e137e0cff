import type { Db } from '../../../db/client.ts'
import { pageReports } from '../../../db/schema/page-reports.ts'

export type ReportRow = typeof pageReports.$inferSelect

export async function insertReport(db: Db, values: typeof pageReports.$inferInsert): Promise<ReportRow> {
  const [row] = await db.insert(pageReports).values(values).returning()
  if (!row) throw new Error('The report was not stored')
  return row
}
