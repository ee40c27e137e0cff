import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { type Exchange, exchangeToken } from './exchange.ts'
import { Publisher, PublisherInput, PublisherKey, Publishers, Publishing, TokenInput } from './model.ts'
import { addPublisher, forgetRepository, listPublishers, removePublisher, setPublishing } from './service.ts'

const tags = ['Builds']

export function publisherRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'publishers', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get('/publishers', async ({ actor, params }) => ok(await listPublishers(deps, actor, params.uid)), {
      website: true,
      response: Envelope(Publishers),
      detail: { tags, summary: 'The pipelines that may publish builds without a stored secret' },
    })
    .post(
      '/publishers',
      async ({ actor, params, body, status }) =>
        status(201, ok(await addPublisher(deps, actor, params.uid, body))),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        body: PublisherInput,
        response: { 201: Envelope(Publisher) },
        detail: { tags, summary: 'Trust a pipeline', ...failsWith('developer_mode_needed', 'taken') },
      },
    )
    .delete(
      '/publishers/:publisher_uid',
      async ({ actor, params }) => {
        await removePublisher(deps, actor, params.uid, params.publisher_uid)
        return ok({})
      },
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Trust a pipeline no longer; keys that it got stop working' },
      },
    )
    .post(
      '/publishers/:publisher_uid/forget',
      async ({ actor, params }) => ok(await forgetRepository(deps, actor, params.uid, params.publisher_uid)),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        response: Envelope(Publisher),
        detail: {
          tags,
          summary: 'Forget which repository it was: the next exchange records its ids anew',
        },
      },
    )
    .put(
      '/publishing',
      async ({ actor, params, body }) => ok(await setPublishing(deps, actor, params.uid, body)),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        body: Publishing,
        response: Envelope(Publishing),
        detail: {
          tags,
          summary: 'Allow deploy keys, or only trusted publishers',
          description: '`keys_allowed: false` revokes every deploy key that a person issued.',
        },
      },
    )
}

export function tokenRoutes(kit: HttpKit, exchange: Exchange) {
  return new Elysia({ name: 'publisher-tokens', prefix: '/api/v1/tool/upload' }).use(kit).post(
    '/token',
    async ({ body, set, status }) => {
      set.headers['cache-control'] = 'no-store'
      return status(201, ok(await exchangeToken(exchange, body, set.headers)))
    },
    {
      limit: 'upload_token',
      open: true,
      body: TokenInput,
      response: { 201: Envelope(PublisherKey) },
      detail: {
        tags,
        summary: 'Exchange the token of a trusted pipeline for a deploy key of 15 minutes',
        description:
          'The key works on every upload route. Uploads that it began may be finished after it expired. `data.claim` of a refusal names what did not fit.',
        ...failsWith('pipeline_token_refused', 'rate_limited'),
      },
    },
  )
}
