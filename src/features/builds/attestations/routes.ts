import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { KeySet } from './model.ts'
import { loadPublicKeys } from './service.ts'

export function statementKeyRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'statement-keys' })
    .use(kit)
    .get('/.well-known/playshelf/keys.json', async () => await loadPublicKeys(deps), {
      open: true,
      cache: { maxAge: 60 },
      response: KeySet,
      detail: {
        tags: ['Downloads'],
        summary: 'The public keys that statements about files are signed with, newest first',
      },
    })
}
