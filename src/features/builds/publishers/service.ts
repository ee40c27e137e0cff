import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { recordChange } from '../../games/history.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { revokeIssuedPairs } from '../deploy-keys/shared-queries.ts'
import {
  type Publisher,
  type PublisherInput,
  type Publishers,
  PUBLISHERS_MAX,
  type Publishing,
} from './model.ts'
import * as queries from './queries.ts'
import { type NewPublisher, readPublisher } from './read-publisher.ts'

export async function listPublishers(deps: Deps, actor: WebsiteUser, ref: string): Promise<Publishers> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const items = (await queries.listPublishers(deps.db, game.uid)).map(toPublisher)
  return {
    items,
    total: items.length,
    page: 1,
    page_size: PUBLISHERS_MAX,
    keys_allowed: game.keysAllowed,
    issuers: [...deps.config.trustedIssuers],
  }
}

export async function addPublisher(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  input: PublisherInput,
): Promise<Publisher> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    if (!actor.developerMode) throw new AppError('developer_mode_needed')
    const publisher = readPublisher(deps.config, input)
    const present = await queries.listPublishers(tx, game.uid)
    if (present.length >= PUBLISHERS_MAX) {
      throw new AppError('taken', {
        message: `This game has ${PUBLISHERS_MAX} trusted publishers already. Remove one first.`,
      })
    }
    if (present.some((row) => isSame(row, publisher)))
      throw new AppError('taken', { message: 'This trusted publisher is there already.' })
    const values = { ...publisher, gameUid: game.uid, addedBy: actor.userUid }
    const row = await queries.insertPublisher(tx, values)
    await recordChange(tx, actor, game.uid, { kind: 'publisher_added', subject: describe(row) })
    return toPublisher({ ...row, addedByName: actor.username, isOrphaned: false })
  })
}

/** Its keys end at once; uploads that they began do not finish. */
export async function removePublisher(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const removed = isUid(uid) ? await queries.deletePublisher(tx, game.uid, uid) : undefined
    if (!removed) throw new AppError('not_found')
    await recordChange(tx, actor, game.uid, { kind: 'publisher_removed', subject: describe(removed) })
  })
}

/** For a repository that was moved or made anew: the next exchange records which it is. */
export async function forgetRepository(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
): Promise<Publisher> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const row = (await queries.listPublishers(tx, game.uid)).find((one) => one.uid === uid)
    if (!row) throw new AppError('not_found')
    await queries.forgetIds(tx, uid)
    await recordChange(tx, actor, game.uid, { kind: 'publisher_forgot', subject: describe(row) })
    return toPublisher({ ...row, repositoryId: null, repositoryOwnerId: null })
  })
}

/** Without deploy keys only trusted publishers upload: those that people issued end at once. */
export async function setPublishing(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  { keys_allowed: keysAllowed }: Publishing,
): Promise<Publishing> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    if (game.keysAllowed !== keysAllowed) {
      await queries.setKeysAllowed(tx, game.uid, keysAllowed)
      const subject = keysAllowed ? 'deploy keys allowed' : 'only trusted publishers'
      await recordChange(tx, actor, game.uid, { kind: 'publishing_changed', subject })
    }
    if (!keysAllowed) await revokeIssuedPairs(tx, game.uid)
    return { keys_allowed: keysAllowed }
  })
}

function isSame(row: queries.ShownPublisher, publisher: NewPublisher): boolean {
  const fields = ['provider', 'issuer', 'repository', 'workflow', 'environment', 'ref'] as const
  return (
    fields.every((field) => row[field] === publisher[field]) &&
    row.channels?.toSorted().join() === publisher.channels?.toSorted().join()
  )
}

function describe({ repository, workflow, ref }: queries.PublisherRow): string {
  return [repository, workflow, ref].filter((part) => part !== null).join(' ')
}

function toPublisher(row: queries.ShownPublisher): Publisher {
  return {
    uid: row.uid,
    provider: row.provider,
    issuer: row.issuer,
    repository: row.repository,
    workflow: row.workflow,
    environment: row.environment,
    ref: row.ref,
    channels: row.channels,
    repository_id: row.repositoryId,
    repository_owner_id: row.repositoryOwnerId,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    added_by: row.addedByName,
  }
}
