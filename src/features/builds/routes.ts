import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { statementKeyRoutes } from './attestations/routes.ts'
import { channelRoutes } from './channels/routes.ts'
import { comparisonRoutes } from './comparison/routes.ts'
import { deployKeyRoutes } from './deploy-keys/routes.ts'
import { createExchange } from './publishers/exchange.ts'
import { publisherRoutes, tokenRoutes } from './publishers/routes.ts'
import { buildRoutes } from './registry/routes.ts'
import { scanRoutes, toolEntryRoutes } from './scans/routes.ts'
import { symbolRoutes, symbolUploadRoutes } from './symbols/routes.ts'
import { toolUploadRoutes, uploadProjectRoutes, websiteUploadRoutes } from './uploads/routes.ts'
import { createUploads } from './uploads/state.ts'

/** Versions of games, their files and channels. */
export function buildAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'builds area' })
    .use(deployKeyRoutes(kit, deps))
    .use(publisherRoutes(kit, deps))
    .use(tokenRoutes(kit, createExchange(deps)))
    .use(buildRoutes(kit, deps))
    .use(uploadProjectRoutes(kit, deps))
    .use(channelRoutes(kit, deps))
    .use(scanRoutes(kit, deps))
    .use(statementKeyRoutes(kit, deps))
    .use(symbolRoutes(kit, deps))
    .use(comparisonRoutes(kit, deps))
}

/** Receives files of any size under UPLOAD_URL, from pipelines and from the website. */
export async function uploadAreaRoutes(kit: HttpKit, deps: Deps) {
  const uploads = await createUploads(deps)
  return new Elysia({ name: 'uploads area' })
    .use(toolUploadRoutes(kit, uploads))
    .use(websiteUploadRoutes(kit, uploads))
    .use(toolEntryRoutes(kit, deps))
    .use(symbolUploadRoutes(kit, deps))
}
