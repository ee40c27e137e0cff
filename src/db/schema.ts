import * as accounts from './schema/accounts.ts'
import * as attestations from './schema/attestations.ts'
import * as bugs from './schema/bugs.ts'
import { apps, builds, fileContents, fileEntries, files, scanEvents, symbols } from './schema/builds.ts'
import * as channels from './schema/channels.ts'
import { collections } from './schema/collections.ts'
import * as crashes from './schema/crashes.ts'
import * as deployKeys from './schema/deploy-keys.ts'
import * as downloads from './schema/downloads.ts'
import * as extstore from './schema/extstore.ts'
import * as factors from './schema/factors.ts'
import * as gameHistory from './schema/games/game-history.ts'
import * as gamePages from './schema/games/game-pages.ts'
import * as gamePlayers from './schema/games/game-players.ts'
import * as gameRelations from './schema/games/game-relations.ts'
import * as gameTags from './schema/games/game-tags.ts'
import * as gameTeam from './schema/games/game-team.ts'
import { games, oldVanityNames } from './schema/games/games.ts'
import * as ingest from './schema/ingest.ts'
import { installation } from './schema/installation.ts'
import * as oauth from './schema/oauth.ts'
import * as operatorActs from './schema/operator-acts.ts'
import * as pageReports from './schema/page-reports.ts'
import { usedPlayTickets } from './schema/play.ts'
import * as playerKeys from './schema/player-keys.ts'
import * as publishers from './schema/publishers.ts'
import { rateCounts } from './schema/rate-counts.ts'
import * as search from './schema/search.ts'
import * as licenseKeys from './schema/selling/license-keys.ts'
import * as orders from './schema/selling/orders.ts'
import { payoutAccounts } from './schema/selling/payout-accounts.ts'
import { stripeEvents } from './schema/selling/stripe-events.ts'
import * as settings from './schema/settings.ts'
import * as shelves from './schema/shelves.ts'
import * as uploads from './schema/uploads.ts'

/** All tables, for drizzle's queries and for generating migrations. */
export const schema = {
  ...accounts,
  ...oauth,
  ...factors,
  ...playerKeys,
  ...deployKeys,
  ...publishers,
  games,
  oldVanityNames,
  ...gameHistory,
  ...gamePages,
  ...gamePlayers,
  ...gameRelations,
  ...gameTags,
  ...gameTeam,
  ...pageReports,
  ...operatorActs,
  apps,
  builds,
  fileEntries,
  fileContents,
  files,
  scanEvents,
  symbols,
  ...attestations,
  ...channels,
  ...uploads,
  ...downloads,
  ...extstore,
  ...search,
  ...ingest,
  ...crashes,
  ...bugs,
  ...shelves,
  collections,
  ...settings,
  ...orders,
  ...licenseKeys,
  payoutAccounts,
  stripeEvents,
  installation,
  rateCounts,
  usedPlayTickets,
}
