import { eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { bugScreenshots } from '../../../db/schema/bugs.ts'

export type ScreenshotRow = typeof bugScreenshots.$inferSelect

export async function findScreenshot(db: Db, objectKey: string): Promise<ScreenshotRow | undefined> {
  const [row] = await db.select().from(bugScreenshots).where(eq(bugScreenshots.objectKey, objectKey))
  return row
}
