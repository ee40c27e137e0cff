import { t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Build, RegisteredBuild } from './model.ts'
import {
  deleteBuild,
  getBuildOfKey,
  listBuilds,
  listBuildsOfKey,
  registerBuildAs,
  registerBuildOfKey,
} from './service.ts'

/** Created per route, because the kit adds the route's access to the description. */
const registration = () =>
  ({
    // Validated by the service, because its errors have codes of their own.
    body: t.Unknown(),
    response: { 200: Envelope(RegisteredBuild), 201: Envelope(RegisteredBuild) },
    summary: 'Register a build, or update it',
    fails: ['registration_invalid', 'upload_field_invalid', 'forbidden'],
  }) as const

export function buildRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'builds', prefix: '/api/v1', tags: ['Builds'] })
    .post(
      '/tool/upload/build',
      async ({ actor, body, status }) => {
        const { build, isNew } = await registerBuildOfKey(deps, actor, body)
        return status(isNew ? 201 : 200, ok(build))
      },
      { ...registration(), deployKey: true },
    )
    .post(
      '/private/games/:uid/builds',
      async ({ actor, params, body, status }) => {
        const { build, isNew } = await registerBuildAs(deps, actor, params.uid, body)
        return status(isNew ? 201 : 200, ok(build))
      },
      { ...registration(), website: true, secondFactor: 'always' },
    )
    .get(
      '/tool/upload/builds',
      async ({ actor, query }) => ok(await listBuildsOfKey(deps, actor, parsePage(query))),
      {
        deployKey: true,
        ...listOf(Build),
        summary: 'The builds of the game, newest first',
      },
    )
    .get(
      '/tool/upload/builds/:build_id',
      async ({ actor, params }) => ok(await getBuildOfKey(deps, actor, params.build_id)),
      {
        deployKey: true,
        response: Envelope(Build),
        summary: 'One build with the scans of its files',
        fails: 'build_not_found',
      },
    )
    .get(
      '/private/games/:uid/builds',
      async ({ actor, params, query }) => ok(await listBuilds(deps, actor, params.uid, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        ...listOf(Build),
        summary: 'The builds of a listing, newest first',
      },
    )
    .delete(
      '/private/games/:uid/builds/:build_id',
      async ({ actor, params }) => await done(deleteBuild(deps, actor, params.uid, params.build_id)),
      {
        websiteOrAgent: 'mcp:builds.write',
        response: Nothing,
        summary: 'Delete a build with its files; channels go back to the build before',
        fails: 'build_not_found',
      },
    )
}
