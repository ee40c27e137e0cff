import type { Deps } from '../../../deps.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { type Exchange, exchangeToken } from './exchange.ts'
import { Publisher, PublisherInput, PublisherKey, Publishers, Publishing, TokenInput } from './model.ts'
import { addPublisher, forgetRepository, listPublishers, removePublisher, setPublishing } from './service.ts'

const tags = ['Builds']

export function publisherRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'publishers', prefix: '/api/v1/private/games/:uid', tags })
    .get('/publishers', async ({ actor, params }) => ok(await listPublishers(deps, actor, params.uid)), {
      website: true,
      response: Envelope(Publishers),
      summary: 'The pipelines that may publish builds without a stored secret',
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
        summary: 'Trust a pipeline',
        fails: ['developer_mode_needed', 'taken'],
      },
    )
    .delete(
      '/publishers/:publisher_uid',
      async ({ actor, params }) => await done(removePublisher(deps, actor, params.uid, params.publisher_uid)),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        response: Nothing,
        summary: 'Trust a pipeline no longer; keys that it got stop working',
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
        summary: 'Forget which repository it was: the next exchange records its ids anew',
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
        summary: 'Allow deploy keys, or only trusted publishers',
        description: '`keys_allowed: false` revokes every deploy key that a person issued.',
      },
    )
}

export function tokenRoutes(kit: HttpKit, exchange: Exchange) {
  return createRoutes(kit, { name: 'publisher-tokens', prefix: '/api/v1/tool/upload', tags }).post(
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
      summary: 'Exchange the token of a trusted pipeline for a deploy key of 15 minutes',
      description:
        'The key works on every upload route. Uploads that it began may be finished after it expired. `data.claim` of a refusal names what did not fit.',
      fails: ['pipeline_token_refused', 'rate_limited'],
    },
  )
}
