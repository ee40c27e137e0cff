import { BUG_TOOLS } from './bug-tools.ts'
import { BUILD_TOOLS } from './build-tools.ts'
import { CATALOG_TOOLS } from './catalog-tools.ts'
import { FILE_TOOLS } from './file-tools.ts'
import { TELEMETRY_TOOLS } from './telemetry-tools.ts'
import type { Tool } from './tool.ts'

/** Uploads, deploy keys, prices, teams, visibility and account settings are for people, so no tool has them. */
export const TOOLS: readonly Tool[] = [
  ...CATALOG_TOOLS,
  ...BUILD_TOOLS,
  ...FILE_TOOLS,
  ...TELEMETRY_TOOLS,
  ...BUG_TOOLS,
]
