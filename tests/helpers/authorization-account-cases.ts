import type { Case } from './authorization-cases.ts'

/** Linking the external account; a callback that nobody began is refused. */
export const ACCOUNT_CASES: Record<string, Case> = {
  'GET /api/v1/private/me/extstore/connect': { need: 'account', allowed: 302 },
  'GET /api/v1/private/me/extstore/callback': { need: 'account', allowed: 400 },
  'DELETE /api/v1/private/me/extstore': { need: 'account' },
}
