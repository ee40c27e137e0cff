import type { ErrorName } from '../error-table.ts'
import { POSTS_PER_DAY } from './posts.ts'

export interface LimitRow {
  max: number
  windowSeconds: number
  /** Requests with the same value are counted together. */
  per:
    | 'ip'
    | 'ip_and_origin'
    | 'visitor'
    | 'game'
    | 'account'
    | 'account_and_listing'
    | 'token'
    | 'mailbox'
    | 'everyone'
  /** The error when the limit is exceeded, if not the usual 4290. */
  error?: ErrorName
  /** Requests that another website caused are refused without counting, so that it cannot use up a visitor's limit. */
  ownSite?: true
  /**
   * A wider row, counted after this one; requests that this row refuses do not count there. So each address
   * has only its share of the limit for everyone.
   */
  within?: string
}

const MINUTE = 60
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Every rate limit. Routes name their rows: `limit: 'search'`. Those of a day and wrong codes are counted in Postgres. */
export const LIMITS = {
  // Attempts with credentials: sign-up, sign-in, mailed links, tokens. Reads of the same routes have their
  // own row.
  accounts: { max: 30, windowSeconds: MINUTE, per: 'ip', ownSite: true },
  account_reads: { max: 600, windowSeconds: MINUTE, per: 'ip', ownSite: true },
  account_export: { max: 30, windowSeconds: MINUTE, per: 'account' },
  // Wrong passwords per account, from all networks: of strangers, of each browser that signed in before, and
  // of those who are signed in.
  wrong_passwords: { max: 30, windowSeconds: HOUR, per: 'account' },
  wrong_passwords_known: { max: 30, windowSeconds: HOUR, per: 'account' },
  wrong_passwords_signed_in: { max: 30, windowSeconds: HOUR, per: 'account' },
  // Wrong codes of an account: of all strangers together, of each browser that signed in before, of all these together
  // while the password stays, and of each session that confirms itself. A passkey is never counted.
  wrong_codes_strangers: { max: 5, windowSeconds: 15 * MINUTE, per: 'account' },
  wrong_codes_known: { max: 5, windowSeconds: 15 * MINUTE, per: 'account' },
  wrong_codes_known_all: { max: 30, windowSeconds: HOUR, per: 'account' },
  wrong_codes_signed_in: { max: 5, windowSeconds: 15 * MINUTE, per: 'account' },
  factor_change: { max: 60, windowSeconds: HOUR, per: 'account' },
  email_change: { max: 10, windowSeconds: DAY, per: 'account' },
  // Links that confirm an address or set a new password. Above the limit the answer is the same, but no mail
  // is sent.
  account_mails: { max: 5, windowSeconds: HOUR, per: 'mailbox' },
  account_mails_daily: { max: 15, windowSeconds: DAY, per: 'mailbox' },
  // Ends of mails: providers send those of many people from a few addresses.
  unsubscribe: { max: 600, windowSeconds: MINUTE, per: 'ip' },
  openapi: { max: 120, windowSeconds: MINUTE, per: 'ip' },
  cli_download: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  // Uses of the Get button before signing in, and the way back; a class in one room stays below it.
  guest_get: { max: 120, windowSeconds: MINUTE, per: 'ip' },
  // Pages of others with a listing, its badge, or a question for its oEmbed.
  embed: { max: 1200, windowSeconds: MINUTE, per: 'ip' },
  search: { max: 1200, windowSeconds: MINUTE, per: 'ip' },
  // Feed readers ask a few times an hour.
  private_feed: { max: 120, windowSeconds: MINUTE, per: 'ip' },
  // One for each letter that is typed.
  search_suggest: { max: 1200, windowSeconds: MINUTE, per: 'ip' },

  asset_library: { max: 300, windowSeconds: MINUTE, per: 'ip' },
  asset_library_download: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  signed_out_download: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  // Their bytes pass this process, and may be inflated on the way.
  apk: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  // Launchers ask for every installed game at once; contents are large.
  install: { max: 600, windowSeconds: MINUTE, per: 'ip' },
  install_contents: { max: 120, windowSeconds: MINUTE, per: 'ip' },
  press_zip: { max: 30, windowSeconds: MINUTE, per: 'ip' },
  press_page_zip: { max: 10, windowSeconds: MINUTE, per: 'visitor' },

  // Files of a game that is played in the browser; counted by the play origins themselves.
  play_file: { max: 6000, windowSeconds: MINUTE, per: 'ip_and_origin' },
  ingest: { max: 60, windowSeconds: MINUTE, per: 'ip' },

  extstore_settings: { max: 60, windowSeconds: MINUTE, per: 'account' },
  extstore_sign_in: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  extstore_sign_in_game: { max: 1200, windowSeconds: MINUTE, per: 'game' },
  extstore_server: { max: 1200, windowSeconds: MINUTE, per: 'game' },
  extstore_wrong_key: { max: 30, windowSeconds: MINUTE, per: 'ip' },

  // Games ask for notices when they start. Reports themselves are limited by the daily cap of the game.
  bug_notices: { max: 60, windowSeconds: MINUTE, per: 'ip' },

  operator: { max: 600, windowSeconds: MINUTE, per: 'account' },

  // Each asks Stripe, which limits the store as a whole.
  payouts: { max: 30, windowSeconds: MINUTE, per: 'account' },
  checkout: { max: 30, windowSeconds: MINUTE, per: 'account' },
  refund: { max: 30, windowSeconds: MINUTE, per: 'account' },
  // Opening the page of an open order, or coming back from Stripe. Above the limit the last known state is
  // shown.
  stripe_questions: { max: 30, windowSeconds: MINUTE, per: 'account' },

  // A code has 100 random bits, so it cannot be guessed; these limits bound the cost of attempts.
  redeem: { max: 10, windowSeconds: MINUTE, per: 'account' },
  redeem_address: { max: 30, windowSeconds: MINUTE, per: 'ip' },

  // Every private write to one listing, except file uploads, which have their own rows.
  listing_write: { max: 60, windowSeconds: MINUTE, per: 'account_and_listing', within: 'account_write' },
  // All private writes of an account. Two agents at full speed stay below it, and a person by far; pipelines have keys
  // of their own, which are counted per game.
  account_write: { max: 300, windowSeconds: MINUTE, per: 'account' },
  // Keys to give away, not requests: two games filled with all that they have room for.
  license_keys: { max: 20_000, windowSeconds: MINUTE, per: 'account' },
  agent_call: { max: 120, windowSeconds: MINUTE, per: 'token' },
  library: { max: 120, windowSeconds: MINUTE, per: 'account' },
  // Of one player in one game. What is refused is not read.
  save_write: { max: 60, windowSeconds: MINUTE, per: 'account_and_listing' },
  save_read: { max: 1200, windowSeconds: MINUTE, per: 'account' },
  // Each one locks the account, so many at once would hold every connection to the database.
  player_key: { max: 120, windowSeconds: MINUTE, per: 'account' },
  page_report: { max: 10, windowSeconds: DAY, per: 'account' },
  invite: { max: 100, windowSeconds: DAY, per: 'account' },
  video_upload: { max: 20, windowSeconds: HOUR, per: 'account' },
  image_upload: { max: 60, windowSeconds: MINUTE, per: 'account' },
  markdown_preview: { max: 600, windowSeconds: MINUTE, per: 'account' },
  // Imports count what reaches out to the external store; malformed requests do not.
  import_preview: { max: 60, windowSeconds: DAY, per: 'account' },
  import: { max: 10, windowSeconds: DAY, per: 'account' },
  // Requests to the external store; `import` counts only those that it answered.
  import_attempt: { max: 100, windowSeconds: DAY, per: 'account' },

  // Counted in the database by the services, for pages, API and tools together; a restart does not reset them.
  rename: { max: 10, windowSeconds: DAY, per: 'account' },
  post_publication: { max: POSTS_PER_DAY, windowSeconds: DAY, per: 'game' },
  new_project: { max: 10, windowSeconds: HOUR, per: 'account' },

  upload: { max: 60, windowSeconds: MINUTE, per: 'game', error: 'uploads_limited' },
  // Exchanges of a pipeline's token, and those of one game: all that were accepted, and all from one address.
  upload_token: { max: 60, windowSeconds: MINUTE, per: 'ip' },
  upload_token_game: { max: 30, windowSeconds: MINUTE, per: 'game' },
  upload_chunk: { max: 1200, windowSeconds: MINUTE, per: 'game', error: 'uploads_limited' },

  // One address has a tenth of what everyone has together: more than an office needs, and a robot reads the sitemap of a
  // million listings in two minutes.
  shelves: { max: 1200, windowSeconds: MINUTE, per: 'ip', within: 'shelves_all' },
  popular_tags: { max: 1200, windowSeconds: MINUTE, per: 'ip', within: 'popular_tags_all' },
  sitemap: { max: 120, windowSeconds: MINUTE, per: 'ip', within: 'sitemap_all' },
  children: { max: 1200, windowSeconds: MINUTE, per: 'ip', within: 'children_all' },
  press: { max: 600, windowSeconds: MINUTE, per: 'ip', within: 'press_all' },
  // Across all callers: the rate that one machine can serve without slowing everything else down.
  shelves_all: { max: 12_000, windowSeconds: MINUTE, per: 'everyone' },
  popular_tags_all: { max: 12_000, windowSeconds: MINUTE, per: 'everyone' },
  sitemap_all: { max: 1200, windowSeconds: MINUTE, per: 'everyone' },
  children_all: { max: 12_000, windowSeconds: MINUTE, per: 'everyone' },
  press_all: { max: 6000, windowSeconds: MINUTE, per: 'everyone' },
} as const satisfies Record<string, LimitRow>

export type LimitName = keyof typeof LIMITS

/** Of each row, listed once: every request asks. */
const ROWS_FROM = new Map((Object.keys(LIMITS) as LimitName[]).map((name) => [name, listRows(name)]))

function listRows(name: LimitName): LimitName[] {
  const row = LIMITS[name]
  return 'within' in row ? [name, ...listRows(row.within)] : [name]
}

/** The row and the wider ones that it counts in, in the order in which they count. */
export function rowsFrom(name: LimitName): readonly LimitName[] {
  return ROWS_FROM.get(name) ?? []
}
