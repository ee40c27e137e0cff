import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { JAM_ROLES } from '../../../domain/jams.ts'
import { LICENSE_SOURCES } from '../../../domain/listings/listing.ts'
import { ORDER_STATUSES } from '../../../domain/listings/orders.ts'
import { DIGEST_RHYTHMS, MAIL_CHOICES, NOTICE_KINDS } from '../../../domain/notices.ts'
import { Integer, Joined, Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'
import { Me, Passkey, PlayerKey, Program, TrustedBrowser } from '../model.ts'

const GameRef = t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() })
const OwnGame = t.Object({ game_uid: Uid })

/** Everything that is stored about one account. Hidden pages of other people appear only by uid. */
export const PersonalData = t.Object({
  exported_at: Moment,
  account: Joined([Me, t.Object({ name: t.String(), created_at: Moment })]),
  sessions: t.Array(
    t.Object({
      created_at: Moment,
      expires_at: Moment,
      ip_address: t.Nullable(t.String()),
      user_agent: t.Nullable(t.String()),
    }),
  ),
  sign_in: t.Object({
    providers: t.Array(t.Object({ provider: t.String(), since: Moment })),
    authenticator_app: t.Boolean(),
    recovery_codes_left: Integer({ minimum: 0 }),
    passkeys: t.Array(Passkey),
    trusted_browsers: t.Array(TrustedBrowser),
  }),
  player_keys: t.Array(PlayerKey),
  programs: t.Array(Program),
  projects: t.Array(GameRef),
  memberships: t.Array(Joined([OwnGame, t.Object({ invited_at: Moment, accepted_at: t.Nullable(Moment) })])),
  deploy_keys: t.Array(Joined([OwnGame, t.Object({ created_at: Moment })])),
  publishers: t.Array(Joined([OwnGame, t.Object({ repository: t.String(), created_at: Moment })])),
  key_batches: t.Array(
    Joined([OwnGame, t.Object({ label: t.String(), count: Integer(), created_at: Moment })]),
  ),
  licenses: t.Array(
    Joined([
      OwnGame,
      t.Object({
        name: t.Nullable(t.String()),
        source: OneOf(LICENSE_SOURCES),
        since: Moment,
        beta: t.Boolean(),
        removed_at: t.Nullable(Moment),
      }),
    ]),
  ),
  orders: t.Array(
    Joined([
      OwnGame,
      t.Object({
        uid: Uid,
        name: t.String(),
        edition: t.Nullable(t.String()),
        amount_cents: Integer(),
        refunded_cents: Integer(),
        status: OneOf(ORDER_STATUSES),
        country: t.Nullable(t.String()),
        created_at: Moment,
        paid_at: t.Nullable(Moment),
        receipt_url: t.Nullable(t.String()),
      }),
    ]),
  ),
  redeemed_keys: t.Array(
    Joined([OwnGame, t.Object({ edition: t.Nullable(t.String()), redeemed_at: Moment })]),
  ),
  payout_account: t.Nullable(t.Object({ stripe_account: t.String(), since: Moment })),
  play_times: t.Array(Joined([OwnGame, t.Object({ seconds: Integer({ minimum: 0 }) })])),
  reviews: t.Array(
    Joined([
      OwnGame,
      t.Object({
        rating: Integer(),
        text: t.String(),
        answer: t.Nullable(t.String()),
        created_at: Moment,
        updated_at: Moment,
      }),
    ]),
  ),
  suggested_tags: t.Array(Joined([OwnGame, t.Object({ tag: t.String() })])),
  store_sign_ins: t.Array(
    Joined([OwnGame, t.Object({ extstore_id: t.String(), ip: t.String(), created_at: Moment })]),
  ),
  bug_reports: t.Array(
    Joined([
      OwnGame,
      t.Object({
        ticket_uid: Uid,
        message: t.String(),
        client_version: t.Nullable(t.String()),
        os: t.Nullable(t.String()),
        arch: t.Nullable(t.String()),
        build_id: t.Nullable(t.String()),
        has_log: t.Boolean(),
        has_screenshot: t.Boolean(),
        created_at: Moment,
      }),
    ]),
  ),
  saves: t.Array(
    Joined([
      OwnGame,
      t.Object({
        name: t.String(),
        slot: t.String(),
        revision: Uid,
        size: Integer(),
        sha256: t.String(),
        device: t.Nullable(t.String()),
        note: t.Nullable(t.String()),
        play_minutes: Integer(),
        refused: t.Boolean(),
        current: t.Boolean(),
        deleted_at: t.Nullable(Moment),
        at: Moment,
        url: t.String(),
      }),
    ]),
  ),
  saves_in_browser: t.Array(Joined([OwnGame, t.Object({ name: t.String(), allowed: t.Boolean() })])),
  follows: t.Object({
    games: t.Array(
      Joined([
        OwnGame,
        t.Object({
          releases: t.Boolean(),
          posts: t.Boolean(),
          platforms: t.Array(OneOf(OPERATING_SYSTEMS)),
          wish: t.Boolean(),
          position: t.Nullable(Integer()),
          wished_price_cents: t.Nullable(Integer()),
          wished_at: t.Nullable(Moment),
          since: Moment,
        }),
      ]),
    ),
    developers: t.Array(
      t.Object({ developer_uid: Uid, new_games: t.Boolean(), posts: t.Boolean(), since: Moment }),
    ),
    wishlist_shared_since: t.Nullable(Moment),
    feed_address_since: t.Nullable(Moment),
  }),
  jams: t.Object({
    roles: t.Array(t.Object({ jam_uid: Uid, role: OneOf(JAM_ROLES), since: Moment })),
    joined: t.Array(t.Object({ jam_uid: Uid, since: Moment })),
    codes: t.Array(t.Object({ jam_uid: Uid, label: t.String(), late: t.Boolean(), created_at: Moment })),
    ratings: t.Array(
      Joined([
        OwnGame,
        t.Object({
          jam_uid: Uid,
          scores: t.Array(Integer(), { description: 'Stars, in the order of the criteria.' }),
          comment: t.String(),
          comment_public: t.Boolean(),
          account_days: Integer(),
          created_at: Moment,
          updated_at: Moment,
        }),
      ]),
    ),
    visits: t.Array(
      Joined([
        OwnGame,
        t.Object({
          jam_uid: Uid,
          played_seconds: Integer(),
          downloaded_at: t.Nullable(Moment),
          skipped_at: t.Nullable(Moment),
          cannot_run_at: t.Nullable(Moment),
        }),
      ]),
    ),
    entries: t.Array(
      t.Object({
        jam_uid: Uid,
        game_uid: Uid,
        note: t.String(),
        submitted_at: Moment,
        withdrawn_at: t.Nullable(Moment),
      }),
    ),
  }),
  notices: t.Array(
    t.Object({
      kind: OneOf(NOTICE_KINDS),
      game_uid: t.Nullable(Uid),
      title: t.String(),
      text: t.Nullable(t.String()),
      at: Moment,
    }),
    { description: 'What was told to this person alone.' },
  ),
  notice_settings: t.Nullable(
    t.Object({
      kinds: t.Record(t.String(), OneOf(MAIL_CHOICES), {
        description: 'What differs from the default.',
      }),
      digest: OneOf(DIGEST_RHYTHMS),
      hour: Integer(),
      time_zone: t.String(),
      read_until: t.Nullable(Moment),
      next_digest_at: t.Nullable(Moment),
      digest_until: t.Nullable(Moment),
      bounces: Integer({ minimum: 0 }),
    }),
  ),
})
export type PersonalData = typeof PersonalData.static

export const DeletionInput = Strict({
  password: t.Optional(
    t.String({ description: 'Accounts without one need a session that was confirmed lately.' }),
  ),
})
