import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, listOf, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { KeySet } from './attestations/model.ts'
import { loadPublicKeys } from './attestations/service.ts'
import { channelRoutes } from './channels/routes.ts'
import { BundleCheck, ModCompat } from './comparison/model.ts'
import { checkBundle, checkModCompat } from './comparison/service.ts'
import { DeployKey, NewDeployKey } from './deploy-keys/model.ts'
import { issueDeployKey, listDeployKeys } from './deploy-keys/service.ts'
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

function statementKeyRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'statement-keys', tags: ['Downloads'] }).get(
    '/.well-known/playshelf/keys.json',
    async () => await loadPublicKeys(deps),
    {
      open: true,
      cache: { maxAge: 60 },
      response: KeySet,
      summary: 'The public keys that statements about files are signed with, newest first',
    },
  )
}

function comparisonRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'comparison', prefix: '/api/v1/private/games/:uid' })
    .get(
      '/builds/:build_id/bundle-check',
      async ({ actor, params }) => ok(await checkBundle(deps, actor, params.uid, params.build_id)),
      {
        website: true,
        response: Envelope(BundleCheck),
        tags: ['Builds'],
        summary: 'Asset packs whose files are in a build, and how they are licensed',
        fails: 'build_not_found',
      },
    )
    .get('/mod-compat', async ({ actor, params }) => ok(await checkModCompat(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(ModCompat),
      tags: ['Listings'],
      summary: 'How a mod or plugin fits the stable and beta builds of its parent',
    })
}

function deployKeyRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'deploy-keys', prefix: '/api/v1/private/games/:uid', tags: ['Builds'] })
    .get(
      '/deploy-keys',
      async ({ actor, params, query }) => ok(await listDeployKeys(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(DeployKey),
        summary: 'The deploy keys of the listing, newest first',
      },
    )
    .post(
      '/deploy-keys',
      async ({ actor, params, status }) => status(201, ok(await issueDeployKey(deps, actor, params.uid))),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        response: { 201: Envelope(NewDeployKey) },
        summary: 'Issue a deploy key; it is shown once, and earlier ones stop working',
        fails: 'developer_mode_needed',
      },
    )
}
