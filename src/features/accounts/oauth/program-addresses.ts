import { invalidProgram } from '../sign-in/body-rules.ts'

/** Addresses for a server to call. Anyone can register a program, so they could be any; nothing here needs them. */
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
