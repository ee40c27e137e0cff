import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { UploadProject } from './model.ts'
import { readProject } from './project.ts'

/** Belongs to the API: pipelines learn UPLOAD_URL here. */
export function uploadProjectRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'upload-project', prefix: '/api/v1/tool/upload' })
    .use(kit)
    .get('/project', async ({ actor }) => ok(await readProject(deps, actor)), {
      deployKey: true,
      response: Envelope(UploadProject),
      detail: { tags: ['Builds'], summary: 'The game of a deploy key, and how to send its files' },
    })
}
