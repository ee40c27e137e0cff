import type { Access } from '../server/admission.ts'
import type { SecurityRequirement, SecurityScheme } from './types.ts'

export const SECURITY_SCHEMES = {
  player: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A player key (`svc_play_…`, made in the account settings) or a player token of the authorization server, with the scope that the route names, `player:read` where it names none.',
  },
  player_header: {
    type: 'apiKey',
    in: 'header',
    name: 'SVC_GAMES',
    description:
      'The same key or token for clients that cannot set `Authorization`, which wins when both are sent.',
  },
  store_session: {
    type: 'http',
    scheme: 'bearer',
    description: 'A session token that the external-store sign-in issued for the same game.',
  },
  deploy_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Access-Token',
    description: 'The access token of a deploy key; needs `X-Secret-Key` beside it.',
  },
  deploy_key_secret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Secret-Key',
    description: 'The secret key of the same deploy key.',
  },
  game_server: {
    type: 'http',
    scheme: 'bearer',
    description: 'The auth key of the game, held by the developer’s own servers only.',
  },
} as const satisfies Record<string, SecurityScheme>

interface AccessRule {
  security: readonly SecurityRequirement[]
  sentence: string
}

const PLAYER_WAYS: readonly SecurityRequirement[] = [{ player: [] }, { player_header: [] }]

export const ACCESS_RULES: Readonly<Record<Access, AccessRule>> = {
  open: { security: [], sentence: 'Anyone may call this; no credential is looked at.' },
  page: { security: [{}, { website: [] }], sentence: 'A page of the website.' },
  visitor: {
    security: [{}, ...PLAYER_WAYS],
    sentence:
      'No credential is needed. A player’s key or token may be sent; a bad one is refused, never ignored.',
  },
  player: { security: PLAYER_WAYS, sentence: 'Needs a player’s key or token.' },
  reporter: {
    security: [...PLAYER_WAYS, { store_session: [] }],
    sentence:
      'Needs a player’s key or token with the scope `player:bugs`, or a session token of the external-store sign-in for this game.',
  },
  website: { security: [{ website: [] }], sentence: 'Needs a session of the website.' },
  website_or_agent: {
    security: [{ website: [] }, { agent: [] }],
    sentence: 'Needs a session of the website or an agent’s token.',
  },
  agent: { security: [{ agent: [] }], sentence: 'Needs an agent’s token.' },
  deploy_key: {
    security: [{ deploy_key: [], deploy_key_secret: [] }],
    sentence: 'Needs a deploy key of the game.',
  },
  game_server: { security: [{ game_server: [] }], sentence: 'Needs the auth key of the game.' },
  operator: { security: [{ website: [] }], sentence: 'For operators; everyone else gets 404.' },
}

/** The scope a route requires applies to every way of sending the credential. */
export function securityOf(access: Access, scopes: readonly string[]): SecurityRequirement[] {
  return ACCESS_RULES[access].security.map((requirement) =>
    Object.fromEntries(Object.keys(requirement).map((scheme) => [scheme, [...scopes]])),
  )
}
