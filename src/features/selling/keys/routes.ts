import type { Deps } from '../../../deps.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { LibraryItem } from '../../community/library/model.ts'
import { KeyBatch, KeysInput, NewKeys, RedeemInput } from './model.ts'
import { createKeys, deleteKeyBatch, listKeyBatches, redeemKey } from './service.ts'

export function keyRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'license-keys', prefix: '/api/v1/private', tags: ['Keys'] })
    .get(
      '/games/:uid/keys',
      async ({ actor, params, query }) => ok(await listKeyBatches(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(KeyBatch),
        summary: 'The batches of keys, newest first, and who redeemed when',
      },
    )
    .post(
      '/games/:uid/keys',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createKeys(deps, actor, params.uid, body))),
      {
        website: true,
        fresh: true,
        body: KeysInput,
        response: { 201: Envelope(NewKeys) },
        summary: 'Make keys to give away; their codes are shown only here',
        description: `At most ${LIMITS.license_keys.max.toLocaleString('en')} keys a minute per account.`,
        fails: ['rate_limited', 'confirmation_needed'],
      },
    )
    .delete(
      '/games/:uid/keys/:batch_uid',
      async ({ actor, params }) => await done(deleteKeyBatch(deps, actor, params.uid, params.batch_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete a batch: what is unredeemed ends, and players keep what they redeemed',
        description: 'A batch of which something was redeemed stays in the list.',
      },
    )
    .post('/redeem', async ({ actor, body }) => ok(await redeemKey(deps, actor, body.code)), {
      website: true,
      limit: ['redeem', 'redeem_address'],
      body: RedeemInput,
      response: Envelope(LibraryItem),
      summary: 'Redeem a code',
      description: 'A wrong, used, expired or withdrawn code has the same answer.',
      fails: ['code_invalid', 'already_owned'],
    })
}
