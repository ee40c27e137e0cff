import { invalidProgram } from '../sign-in/body-rules.ts'

/** A server would call these, at any address that a stranger registers. Nothing here needs them. */
const CALLED = [
  'backchannel_logout_uri',
  'frontchannel_logout_uri',
  'jwks_uri',
  'sector_identifier_uri',
  'request_uris',
  'initiate_login_uri',
]
/** For pages that show a program with its links, which ours does not. Many programs send them. */
const SHOWN = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'post_logout_redirect_uris']

/**
 * Of all addresses in a registration only those that people are sent back to are kept. Changes the object itself,
 * because the library merges what a rule returns with what was sent.
 */
export function dropAddresses(fields: Record<string, unknown>): void {
  const called = CALLED.find((name) => fields[name] !== undefined && fields[name] !== null)
  if (called !== undefined) throw invalidProgram(`${called} is not supported; leave it out.`)
  for (const name of SHOWN) Reflect.deleteProperty(fields, name)
}
