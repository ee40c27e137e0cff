import { type Db, inserted } from '../../../db/client.ts'
import { pageReports } from '../../../db/schema/operate.ts'

export type ReportRow = typeof pageReports.$inferSelect

export async function insertReport(db: Db, values: typeof pageReports.$inferInsert): Promise<ReportRow> {
  return await inserted(db.insert(pageReports).values(values).returning())
}
