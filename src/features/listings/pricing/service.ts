import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { changeGame, markEdited, openGame } from '../../games/service.ts'
import {
  type AnonymousDownloads,
  type AnonymousDownloadsInput,
  Edition,
  type EditionInput,
  type EditionPatch,
  EDITIONS_MAX,
  type Price,
} from './model.ts'
import * as queries from './queries.ts'

export function toPrice(priceCents: number): Price {
  return { cents: priceCents, currency: STORE_RULES.currency, free: priceCents === 0 }
}

/** Needs the locked listing, so that anonymous downloads cannot be turned on meanwhile. */
export function refusePriceWhileAnonymous(game: { anonymousDownloads: boolean }, priceCents: number): void {
  if (game.anonymousDownloads && priceCents > 0) throw new AppError('price_needs_anonymous_off')
}

/** The editions that a page offers, in the order of creation. */
export async function listActiveEditions(db: Db, gameUid: string): Promise<Edition[]> {
  return (await queries.listActiveEditions(db, gameUid, EDITIONS_MAX)).map(toEdition)
}

export type EditionRow = queries.EditionRow

/** Also finds an edition that is not offered. */
export async function findEditionOf(db: Db, gameUid: string, uid: string): Promise<EditionRow | undefined> {
  return await queries.findEdition(db, gameUid, uid)
}

export async function listEditions(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<Edition>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listEditions(deps.db, game.uid, page), toEdition)
}

export async function getEdition(deps: Deps, actor: WebsiteUser, ref: string, uid: string): Promise<Edition> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return toEdition(await requireEdition(deps.db, game.uid, uid))
}

export async function createEdition(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  input: EditionInput,
): Promise<Edition> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    refusePriceWhileAnonymous(game, input.price_cents)
    if ((await queries.countEditions(tx, game.uid)) >= EDITIONS_MAX) throw tooManyEditions()
    const row = await queries.insertEdition(tx, game.uid, {
      name: input.name.trim(),
      priceCents: input.price_cents,
      active: input.active ?? true,
    })
    await markEdited(tx, game.uid)
    return toEdition(row)
  })
}

/** While anonymous downloads are on, an edition can be renamed or deactivated, but not activated. */
export async function updateEdition(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
  patch: EditionPatch,
): Promise<Edition> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const current = await requireEdition(tx, game.uid, uid)
    const values = {
      name: patch.name?.trim() ?? current.name,
      priceCents: patch.price_cents ?? current.priceCents,
      active: patch.active ?? current.active,
    }
    if (patch.price_cents !== undefined || patch.active === true) {
      refusePriceWhileAnonymous(game, values.priceCents)
    }
    await queries.updateEdition(tx, current.uid, values)
    await markEdited(tx, game.uid)
    return toEdition({ ...current, ...values })
  })
}

export async function deleteEdition(deps: Deps, actor: WebsiteUser, ref: string, uid: string): Promise<void> {
  await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const wasThere = isUid(uid) && (await queries.deleteEdition(tx, game.uid, uid))
    if (!wasThere) throw new AppError('not_found')
    await markEdited(tx, game.uid)
  })
}

export async function setAnonymousDownloads(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  { enabled, confirm_no_license }: AnonymousDownloadsInput,
): Promise<AnonymousDownloads> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    if (enabled && !game.anonymousDownloads && confirm_no_license !== true)
      throw new AppError('no_license_not_confirmed')
    if (enabled && (game.priceCents > 0 || (await queries.countActiveEditions(tx, game.uid)) > 0)) {
      throw new AppError('anonymous_needs_free')
    }
    if (enabled !== game.anonymousDownloads) {
      await queries.setAnonymousDownloads(tx, game.uid, enabled)
      await markEdited(tx, game.uid)
    }
    return { enabled }
  })
}

async function requireEdition(db: Db, gameUid: string, uid: string): Promise<EditionRow> {
  const row = isUid(uid) ? await queries.findEdition(db, gameUid, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

function tooManyEditions(): AppError {
  const message = `A listing can have at most ${EDITIONS_MAX} editions. Delete one first.`
  return invalidFields([{ path: '', message }])
}

function toEdition(row: EditionRow): Edition {
  return respond(Edition, row)
}
