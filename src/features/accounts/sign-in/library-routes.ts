/**
 * The routes of the account library that answer at `/api/auth`; all others are 404. The library brings more with every
 * plugin and version, and each is a door that none of our rules knows.
 */
export const LIBRARY_ROUTES = [
  'POST /sign-up/email',
  'POST /sign-in/email',
  'POST /sign-in/social',
  'POST /sign-out',
  'GET /callback/:id',
  'POST /link-social',
  'GET /get-session',
  'GET /list-sessions',
  'POST /revoke-session',
  'POST /revoke-other-sessions',
  'POST /update-user',
  'POST /change-email',
  'POST /send-verification-email',
  'POST /verify-email',
  'POST /change-password',
  'POST /request-password-reset',
  'GET /reset-password/:token',
  'POST /reset-password',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /jwks',
  'GET /oauth2/authorize',
  'POST /oauth2/authorize',
  'POST /oauth2/consent',
  'POST /oauth2/token',
  'POST /oauth2/introspect',
  'POST /oauth2/revoke',
  'POST /oauth2/register',
] as const

const PATTERNS = LIBRARY_ROUTES.map(
  (route) => new RegExp(`^${route.replaceAll(/:\w+/g, String.raw`[^/]+`)}$`),
)

/** `path` as it was sent, below `/api/auth`: any other spelling of a route is another path. */
export function isLibraryRoute(method: string, path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(`${method} ${path}`))
}
