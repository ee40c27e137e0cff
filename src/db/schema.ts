import * as accounts from './schema/accounts.ts'
import * as gameCredentials from './schema/game-credentials.ts'
import * as oauth from './schema/oauth.ts'
import * as playerKeys from './schema/player-keys.ts'

/** All tables: what drizzle queries know and what migrations are generated from. */
export const schema = { ...accounts, ...oauth, ...playerKeys, ...gameCredentials }
