import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { SaveChoice, SaveChoiceEdit, SaveToken } from './access/model.ts'
import { issueToken, loadChoice, saveChoice } from './access/service.ts'
import { saveRoutes } from './slots/routes.ts'

/** The saves of players, and what a play page needs to let a web game use them. */
export function saveAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'saves area' }).use(saveRoutes(kit, deps)).use(saveAccessRoutes(kit, deps))
}

const refusals = ['buy_to_download'] as const

/** For the play page of a web game. */
function saveAccessRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'save-access',
    prefix: '/api/v1/private/games/:uid/saves',
    tags: ['Saves'],
  })
    .get('', async ({ actor, params }) => ok(await loadChoice(deps, actor, params.uid)), {
      website: true,
      response: Envelope(SaveChoice),
      summary: 'Whether the game may keep its saves in the account',
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
        summary: 'Allow the game to keep its saves in the account when it is played in the browser, or not',
        fails: refusals,
      },
    )
    .post(
      '/token',
      async ({ actor, params, status }) => status(201, ok(await issueToken(deps, actor, params.uid))),
      {
        website: true,
        response: { 201: Envelope(SaveToken) },
        summary: 'A token of 15 minutes for the saves of this game, to be handed to its frame',
        description: 'Needs that the player has allowed it.',
        fails: refusals,
      },
    )
}
