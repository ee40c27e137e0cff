import { APIError, createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { isHttpsUrl, LINK_MAX, parseLocalPath } from '../../../lib/net/urls.ts'
import { describeName, EMAIL_MAX, NAME_MAX, parseName } from '../../../lib/text/names.ts'
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
  const read = parseName(name, NAME_MAX)
  if (read === null) throw invalidField('name', `must be ${describeName(NAME_MAX)}.`)
  return { context: { body: { ...body, name: read } } }
}

/** Refused with the error codes of RFC 7591. */
function checkProgram(body: Record<string, unknown>): void {
  if (JSON.stringify(body).length > REGISTRATION_MAX) {
    throw invalidProgram(`A registration must have at most ${REGISTRATION_MAX} characters.`)
  }
  if (body.client_name !== undefined && parseName(body.client_name, NAME_MAX) === null) {
    throw invalidProgram(`client_name must be ${describeName(NAME_MAX)}.`)
  }
}

function invalidProgram(description: string): APIError {
  return new APIError('BAD_REQUEST', { error: 'invalid_client_metadata', error_description: description })
}

/**
 * Addresses that a server would call. Refused, because anyone can register a program and nothing needs them.
 */
const CALLED = [
  'backchannel_logout_uri',
  'frontchannel_logout_uri',
  'jwks_uri',
  'sector_identifier_uri',
  'request_uris',
  'initiate_login_uri',
]
/** Links about the program. Many programs send them; our pages do not show them. */
const SHOWN = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'post_logout_redirect_uris']

/**
 * Keeps only the redirect addresses of a registration. Changes the object itself,
 * because the library merges what a rule returns with what was sent.
 */
export function dropAddresses(fields: Record<string, unknown>): void {
  const called = CALLED.find((name) => fields[name] !== undefined && fields[name] !== null)
  if (called !== undefined) throw invalidProgram(`${called} is not supported; leave it out.`)
  for (const name of SHOWN) Reflect.deleteProperty(fields, name)
}

/** Bounded, because return addresses become part of the links in mails. */
const LENGTH_MAX = 2048
const FIELDS = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']

/** Return addresses must be on this site. The library's own check is laxer. */
export function returnAddressRules(origins: readonly string[]) {
  const isOwn = (text: string) =>
    parseLocalPath(text) !== null || (URL.canParse(text) && origins.includes(new URL(text).origin))

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
