import { APIError, createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { EMAIL_MAX } from '../../../lib/text/email.ts'
import { describeName, NAME_MAX, readName } from '../../../lib/text/names.ts'
import { PASSWORD_MAX } from './auth-settings.ts'

const REGISTRATION_MAX = 16 * 1024

/** The maximum length of text fields in account bodies, on any route. */
const TEXT_MAX: Readonly<Record<string, number>> = {
  email: EMAIL_MAX,
  newEmail: EMAIL_MAX,
  password: PASSWORD_MAX,
  newPassword: PASSWORD_MAX,
  currentPassword: PASSWORD_MAX,
}

/** The routes that set a person's name, and whether it is required there. */
const NAMING: Readonly<Record<string, { required: boolean }>> = {
  '/sign-up/email': { required: true },
  '/update-user': { required: false },
}
export const REGISTER_PROGRAM = '/oauth2/register'

/** Checks fields that the library would accept at any length and in any form. */
export const bodyRules = {
  id: 'playshelf-body-rules',
  hooks: {
    before: [
      {
        matcher: ({ body }) => isObject(body),
        handler: createAuthMiddleware(async ({ path, body }) => {
          if (path === REGISTER_PROGRAM) checkProgram(body)
          checkTexts(body)
          return checkPerson(path, body)
        }),
      },
    ],
  },
} satisfies BetterAuthPlugin

function checkTexts(body: Record<string, unknown>): void {
  // The library reads it on every route, before the route checks its body.
  if (body.oauth_query !== undefined && typeof body.oauth_query !== 'string') {
    throw invalidField('oauth_query', 'must be text.')
  }
  for (const [field, max] of Object.entries(TEXT_MAX)) {
    const value = body[field]
    if (typeof value === 'string' && value.length > max) {
      throw invalidField(field, `must have at most ${max} characters.`)
    }
  }
}

/** Trims the name. */
function checkPerson(path: string, body: Record<string, unknown>) {
  const naming = NAMING[path]
  if (!naming) return null
  const { name, image } = body
  if (image !== undefined && image !== null && !(typeof image === 'string' && isHttpsUrl(image, LINK_MAX))) {
    throw invalidField('image', `must be an https:// address of at most ${LINK_MAX} characters.`)
  }
  if (name === undefined && !naming.required) return null
  const read = readName(name, NAME_MAX)
  if (read === null) throw invalidField('name', `must be ${describeName(NAME_MAX)}.`)
  return { context: { body: { ...body, name: read } } }
}

/** Refused with the error codes of RFC 7591. */
function checkProgram(body: Record<string, unknown>): void {
  if (JSON.stringify(body).length > REGISTRATION_MAX) {
    throw invalidProgram(`A registration must have at most ${REGISTRATION_MAX} characters.`)
  }
  if (body.client_name !== undefined && readName(body.client_name, NAME_MAX) === null) {
    throw invalidProgram(`client_name must be ${describeName(NAME_MAX)}.`)
  }
}

export function invalidProgram(description: string): APIError {
  return new APIError('BAD_REQUEST', { error: 'invalid_client_metadata', error_description: description })
}
