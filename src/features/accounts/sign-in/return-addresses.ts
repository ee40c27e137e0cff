import { createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { readLocalPath } from '../../../lib/net/urls.ts'

/** Bounded, because return addresses become part of the links in mails. */
const LENGTH_MAX = 2048
const FIELDS = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']

/** Return addresses must be on this site. The library's own check is laxer. */
export function returnAddressRules(origins: readonly string[]) {
  const isOwn = (text: string) =>
    readLocalPath(text) !== null || (URL.canParse(text) && origins.includes(new URL(text).origin))

  function check(values: unknown): void {
    if (!isObject(values)) return
    for (const field of FIELDS) {
      const value = values[field]
      if (value === undefined || value === null || value === '') continue
      if (typeof value !== 'string' || value.length > LENGTH_MAX || !isOwn(value)) {
        throw invalidField(field, `${field} must be a path of this site of at most ${LENGTH_MAX} characters.`)
      }
    }
  }

  return {
    id: 'playshelf-return-addresses',
    hooks: {
      before: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async ({ body, query }) => {
            check(body)
            check(query)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}
