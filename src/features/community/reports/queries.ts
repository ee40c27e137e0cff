import type { Db } from '../../../db/client.ts'
import { inserted } from '../../../db/rows.ts'
import { pageReports } from '../../../db/schema/operate.ts'

export type ReportRow = typeof pageReports.$inferSelect

export async function insertReport(db: Db, values: typeof pageReports.$inferInsert): Promise<ReportRow> {
  return await inserted(db.insert(pageReports).values(values).returning())
}
