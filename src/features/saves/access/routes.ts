import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { SaveChoice, SaveChoiceEdit, SaveToken } from './model.ts'
import { issueToken, loadChoice, saveChoice } from './service.ts'

const tags = ['Saves']
const refusals = failsWith('buy_to_download')

/** For the play page of a web game. */
export function saveAccessRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'save-access', prefix: '/api/v1/private/games/:uid/saves' })
    .use(kit)
    .get('', async ({ actor, params }) => ok(await loadChoice(deps, actor, params.uid)), {
      website: true,
      response: Envelope(SaveChoice),
      detail: { tags, summary: 'Whether the game may keep its saves in the account' },
    })
    .put(
      '',
      async ({ actor, params, body }) => {
        const read = () => loadChoice(deps, actor, params.uid)
        const { allowed } = await SaveChoiceEdit.settle(body, read)
        return ok(await saveChoice(deps, actor, params.uid, allowed))
      },
      {
        website: true,
        body: SaveChoiceEdit.body,
        response: Envelope(SaveChoice),
        detail: {
          tags,
          summary: 'Allow the game to keep its saves in the account when it is played in the browser, or not',
          ...refusals,
        },
      },
    )
    .post(
      '/token',
      async ({ actor, params, status }) => status(201, ok(await issueToken(deps, actor, params.uid))),
      {
        website: true,
        response: { 201: Envelope(SaveToken) },
        detail: {
          tags,
          summary: 'A token of 15 minutes for the saves of this game, to be handed to its frame',
          description: 'Needs that the player has allowed it.',
          ...refusals,
        },
      },
    )
}
