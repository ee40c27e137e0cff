import { t } from 'elysia'

import { PUBLISHER_PROVIDERS } from '../../../domain/builds/publishers.ts'
import { Moment, OneOf, Paged, Strict, Uid } from '../../../http/input/schema.ts'

export const PUBLISHERS_MAX = 10
const CHANNELS_MAX = 20
const FIELD_MAX = 255
/** Tokens of GitHub and GitLab have about 2,000 characters. */
const TOKEN_MAX = 16 * 1024

/** Null and an empty text count as not given. */
const filter = (description: string, ...examples: string[]) =>
  t.Optional(t.Nullable(t.String({ maxLength: FIELD_MAX, description, examples })))

/** The service checks what the texts contain, so that its messages can explain the fault. */
export const PublisherInput = Strict({
  provider: OneOf(PUBLISHER_PROVIDERS),
  issuer: filter("Left out: the provider's own. Others only if the operator trusts them."),
  repository: t.String({
    minLength: 1,
    maxLength: FIELD_MAX,
    description: 'As the pipeline names it.',
    examples: ['moss/garden'],
  }),
  workflow: filter('The file of the workflow; a `*` at its end stands for anything.', 'release.yml'),
  environment: filter('The environment that the job must run in.', 'release'),
  ref: filter('The branch or tag; a `*` at its end stands for anything.', 'refs/heads/main', 'refs/tags/v*'),
  channels: t.Optional(
    t.Nullable(t.Array(t.String(), { maxItems: CHANNELS_MAX }), {
      description: 'The only channels that it may upload to; null for all.',
    }),
  ),
})
export type PublisherInput = typeof PublisherInput.static

export const Publisher = t.Object({
  uid: Uid,
  provider: OneOf(PUBLISHER_PROVIDERS),
  issuer: t.String({ examples: ['https://token.actions.githubusercontent.com'] }),
  repository: t.String({ examples: ['moss/garden'] }),
  workflow: t.Nullable(t.String({ examples: ['release.yml'] })),
  environment: t.Nullable(t.String()),
  ref: t.Nullable(t.String({ examples: ['refs/tags/v*'] })),
  channels: t.Nullable(t.Array(t.String()), { description: 'Null for all.' }),
  repository_id: t.Nullable(
    t.String({
      description: 'As the provider numbers it. Recorded at the first exchange, required from then on.',
      examples: ['712345678'],
    }),
  ),
  repository_owner_id: t.Nullable(t.String({ examples: ['9919'] })),
  created_at: Moment,
  last_used_at: t.Nullable(Moment),
  added_by: t.Nullable(t.String({ description: 'The username; null once that account is deleted.' })),
})
export type Publisher = typeof Publisher.static

export const Publishers = t.Object({
  ...Paged(Publisher).properties,
  keys_allowed: t.Boolean({ description: 'False: only trusted publishers upload, no deploy keys.' }),
  issuers: t.Array(t.String(), { description: 'The further issuers that the operator trusts.' }),
})
export type Publishers = typeof Publishers.static

export const Publishing = Strict({ keys_allowed: t.Boolean() })
export type Publishing = typeof Publishing.static

export const TokenInput = Strict({
  game: t.String({
    minLength: 1,
    maxLength: FIELD_MAX,
    description: 'Its uid, or its name in the address.',
  }),
  token: t.String({
    minLength: 1,
    maxLength: TOKEN_MAX,
    description: 'The OpenID Connect token of the pipeline, issued for the address of this store.',
  }),
})
export type TokenInput = typeof TokenInput.static

export const PublisherKey = t.Object({
  access_token: t.String(),
  secret_key: t.String(),
  expires_at: Moment,
  channels: t.Nullable(t.Array(t.String()), { description: 'Null for all.' }),
})
export type PublisherKey = typeof PublisherKey.static
