import { playerKeys } from '../../../src/db/schema/accounts.ts'
import {
  changelogEntries,
  editions,
  gameAdmins,
  images,
  videos,
} from '../../../src/db/schema/games/game-pages.ts'
import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { tagSuggestions } from '../../../src/db/schema/games/game-relations.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { pictureForm } from '../files/pictures.ts'
import type { GameRow } from '../listings.ts'
import type { Person } from '../people.ts'
import type { TestServer } from '../server.ts'
import { ACCOUNT_CASES, FOLLOW_CASES } from './authorization-account-cases.ts'
import { BUG_CASES } from './authorization-bug-cases.ts'
import { BUILD_CASES } from './authorization-build-cases.ts'
import { EXTSTORE_CASES } from './authorization-extstore-cases.ts'
import { IMPORT_CASES } from './authorization-import-cases.ts'
import { JAM_CASES } from './authorization-jam-cases.ts'
import { JAM_VOTE_CASES } from './authorization-jam-vote-cases.ts'
import { POST_CASES } from './authorization-post-cases.ts'
import { SAVE_CASES } from './authorization-save-cases.ts'
import { SELLING_CASES } from './authorization-selling-cases.ts'

export const CALLERS = [
  'signed out',
  'other user',
  'invited admin',
  'accepted admin',
  'owner',
  'player key',
  'player key with every scope',
  'player token',
  'agent token',
  'agent token with every scope',
  'deploy key',
] as const
export type CallerKind = (typeof CALLERS)[number]
export type SessionKind = 'other user' | 'invited admin' | 'accepted admin' | 'owner'
export type PageState = 'draft' | 'public'

export type Params = Record<string, string>

export interface Setting {
  server: TestServer
  game: GameRow
  caller: Person
  state: PageState
}

export interface Case {
  /** account: any session; see, edit, own: as in game-access. */
  need: 'account' | 'see' | 'edit' | 'own'
  /** A valid body, so that the result depends only on the caller. */
  body?: object | ((params: Params) => object)
  form?: (params: Params) => Promise<FormData>
  /** Creates the resources in the path other than the listing. */
  params?: (setting: Setting) => Promise<Params>
  /** The status for a caller with access; 200 by default. */
  allowed?: number
  /** The status for programs of somebody with access, where it differs. */
  allowedAgent?: number
  /** Rules of the route in addition to the access rules. */
  except?: (who: SessionKind, state: PageState) => number | undefined
}

const isMaker = (who: SessionKind) => who === 'owner' || who === 'accepted admin'

export async function insertImage({ server, game }: Setting): Promise<Params> {
  const values = {
    gameUid: game.uid,
    kind: 'gallery',
    objectKey: 'images/x.webp',
    width: 1,
    height: 1,
    size: 1,
  } as const
  const [row] = await server.deps.db.insert(images).values(values).returning()
  return { image_uid: row?.uid ?? '' }
}

export async function insertVideo({ server, game }: Setting): Promise<Params> {
  const values = {
    gameUid: game.uid,
    kind: 'link',
    url: 'https://vimeo.com/76979871',
    provider: 'vimeo',
  } as const
  const [row] = await server.deps.db.insert(videos).values(values).returning()
  return { video_uid: row?.uid ?? '' }
}

async function insertEdition({ server, game }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, name: 'Deluxe', priceCents: 999 }
  const [row] = await server.deps.db.insert(editions).values(values).returning()
  return { edition_uid: row?.uid ?? '' }
}

async function insertEntry({ server, game }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, title: 'News', body: 'Things moved.' }
  const [row] = await server.deps.db.insert(changelogEntries).values(values).returning()
  return { entry_uid: row?.uid ?? '' }
}

async function insertSuggestion({ server, game, caller }: Setting): Promise<Params> {
  await server.deps.db.insert(tagSuggestions).values({ gameUid: game.uid, userUid: caller.uid, tag: 'stars' })
  return { tag: 'stars' }
}

async function insertInvite({ server, game, caller }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, userUid: caller.uid }
  const [row] = await server.deps.db.insert(gameAdmins).values(values).onConflictDoNothing().returning()
  if (row) return { uid: row.uid }
  return { uid: createUid() }
}

async function insertGift({ server, game, caller }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, userUid: caller.uid, source: 'granted', pending: true } as const
  await server.deps.db.insert(licenses).values(values).onConflictDoNothing()
  return { game_uid: game.uid }
}

async function insertKey({ server, caller }: Setting): Promise<Params> {
  const values = {
    userUid: caller.uid,
    label: 'x',
    keyHash: crypto.randomUUID(),
    last4: 'xxxx',
    scopes: ['player:read'],
  }
  const [row] = await server.deps.db.insert(playerKeys).values(values).returning()
  return { uid: row?.uid ?? '' }
}

/** Every private route, by method and path. The test fails for a route that is missing here. */
export const CASES: Record<string, Case> = {
  ...ACCOUNT_CASES,
  ...FOLLOW_CASES,
  ...BUG_CASES,
  ...BUILD_CASES,
  ...IMPORT_CASES,
  ...EXTSTORE_CASES,
  ...JAM_CASES,
  ...JAM_VOTE_CASES,
  ...POST_CASES,
  ...SAVE_CASES,
  ...SELLING_CASES,

  'GET /api/v1/private/me': { need: 'account' },
  'PATCH /api/v1/private/me': { need: 'account', body: {} },
  'GET /api/v1/private/player-keys': { need: 'account' },
  'POST /api/v1/private/player-keys': { need: 'account', body: { label: 'x' }, allowed: 201 },
  'DELETE /api/v1/private/player-keys/:uid': { need: 'account', params: insertKey },
  'GET /api/v1/private/library': { need: 'account' },
  'POST /api/v1/private/library/:game_uid/accept': { need: 'account', params: insertGift },
  'POST /api/v1/private/library/:game_uid/restore': { need: 'account', params: insertGift },
  'DELETE /api/v1/private/library/:game_uid': { need: 'account', params: insertGift },
  'GET /api/v1/private/invites': { need: 'account' },
  'POST /api/v1/private/invites/:uid/accept': {
    need: 'account',
    params: insertInvite,
    except: (who) => (who === 'other user' || who === 'owner' ? undefined : 404),
  },
  'POST /api/v1/private/invites/:uid/decline': {
    need: 'account',
    params: insertInvite,
    except: (who) => (who === 'other user' || who === 'owner' ? undefined : 404),
  },

  'GET /api/v1/private/games': { need: 'account' },
  'POST /api/v1/private/games': { need: 'account', body: { name: 'X', asset_type: 'game' }, allowed: 201 },
  'GET /api/v1/private/games/:uid': { need: 'edit' },
  'PATCH /api/v1/private/games/:uid': { need: 'edit', body: { tagline: 'Another line.' } },
  'PUT /api/v1/private/games/:uid/visibility': { need: 'edit', body: { visibility: 'invisible' } },
  'DELETE /api/v1/private/games/:uid': {
    need: 'own',
    except: (who, state) => (who === 'owner' && state === 'public' ? 409 : undefined),
  },
  'GET /api/v1/private/games/:uid/lint': { need: 'edit' },
  'GET /api/v1/private/games/:uid/history': { need: 'edit' },

  'GET /api/v1/private/games/:uid/admins': { need: 'edit' },
  'POST /api/v1/private/games/:uid/admins': {
    need: 'own',
    body: { username: 'nobody-at-all' },
    allowed: 400,
  },
  'DELETE /api/v1/private/games/:uid/admins/:user_uid': {
    need: 'own',
    params: async () => ({ user_uid: createUid() }),
    allowed: 404,
  },

  'GET /api/v1/private/games/:uid/editions': { need: 'edit' },
  'POST /api/v1/private/games/:uid/editions': {
    need: 'edit',
    body: { name: 'Deluxe', price_cents: 999 },
    allowed: 201,
  },
  'PATCH /api/v1/private/games/:uid/editions/:edition_uid': {
    need: 'edit',
    body: { name: 'X' },
    params: insertEdition,
  },
  'DELETE /api/v1/private/games/:uid/editions/:edition_uid': { need: 'edit', params: insertEdition },
  'PUT /api/v1/private/games/:uid/anonymous-downloads': { need: 'edit', body: { enabled: false } },

  'GET /api/v1/private/games/:uid/images': { need: 'edit' },
  'PUT /api/v1/private/games/:uid/images/cover': { need: 'edit', form: pictureForm },
  'PUT /api/v1/private/games/:uid/images/thumbnail': { need: 'edit', form: pictureForm },
  'POST /api/v1/private/games/:uid/images/gallery': { need: 'edit', form: pictureForm, allowed: 201 },
  'PUT /api/v1/private/games/:uid/images/gallery/order': { need: 'edit', body: { uids: [] } },
  'DELETE /api/v1/private/games/:uid/images/:image_uid': { need: 'edit', params: insertImage },
  'GET /api/v1/private/games/:uid/videos': { need: 'edit' },
  'POST /api/v1/private/games/:uid/videos': {
    need: 'edit',
    body: { url: 'https://vimeo.com/76979871' },
    allowed: 201,
  },
  'PUT /api/v1/private/games/:uid/videos/order': { need: 'edit', body: { uids: [] } },
  'PUT /api/v1/private/games/:uid/videos/:video_uid/poster': {
    need: 'edit',
    form: pictureForm,
    params: insertVideo,
  },
  'DELETE /api/v1/private/games/:uid/videos/:video_uid': { need: 'edit', params: insertVideo },

  'GET /api/v1/private/games/:uid/changelog': { need: 'edit' },
  'POST /api/v1/private/games/:uid/changelog': {
    need: 'edit',
    body: { title: 'News', body: 'x' },
    allowed: 201,
  },
  'PATCH /api/v1/private/games/:uid/changelog/:entry_uid': {
    need: 'edit',
    params: insertEntry,
    body: { title: 'Changed' },
  },
  'DELETE /api/v1/private/games/:uid/changelog/:entry_uid': { need: 'edit', params: insertEntry },

  'GET /api/v1/private/games/:uid/press': { need: 'edit' },
  'PUT /api/v1/private/games/:uid/press': { need: 'edit', body: {} },
  'GET /api/v1/private/games/:uid/store-links': { need: 'edit' },
  'PUT /api/v1/private/games/:uid/store-links': { need: 'edit', body: { store_links: [] } },

  'GET /api/v1/private/games/:uid/licenses': { need: 'edit' },
  'POST /api/v1/private/games/:uid/licenses': {
    need: 'own',
    body: { username: 'nobody-at-all' },
    allowed: 400,
  },
  'GET /api/v1/private/games/:uid/community-tags': { need: 'edit' },
  'PUT /api/v1/private/games/:uid/community-tags/:tag': {
    need: 'edit',
    body: { hidden: true },
    params: insertSuggestion,
  },

  'POST /api/v1/private/games/:uid/claim': {
    need: 'see',
    except: (_, state) => (state === 'draft' ? 404 : undefined),
  },
  'POST /api/v1/private/games/:uid/beta': { need: 'see' },
  'DELETE /api/v1/private/games/:uid/beta': { need: 'see' },
  'GET /api/v1/private/games/:uid/review': { need: 'see', allowed: 404 },
  'PUT /api/v1/private/games/:uid/review': {
    need: 'see',
    body: { rating: 4, text: 'Good.' },
    allowed: 201,
    except: (who) => (isMaker(who) ? 403 : undefined),
  },
  'DELETE /api/v1/private/games/:uid/review': { need: 'see', allowed: 404 },
  'POST /api/v1/private/games/:uid/reports': {
    need: 'see',
    body: { reason: 'other', text: 'It is not what it says.' },
    allowed: 201,
  },
  'GET /api/v1/private/games/:uid/tag-suggestions': { need: 'see' },
  'PUT /api/v1/private/games/:uid/tag-suggestions': { need: 'see', body: { tags: ['stars'] } },
}
