import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { respond } from '../../../lib/respond.ts'
import { type Operator, recordAct } from '../../audit/service.ts'
import * as collections from '../../catalog/collections/edit.ts'
import type { CollectionPatch } from '../../catalog/collections/model.ts'
import { toSummary } from '../../catalog/collections/service.ts'
import { describeChange } from '../settings/service.ts'
import { OperatorCollection } from './model.ts'

type Row = collections.CollectionRow

/** All collections, including those that are not shown at present, newest first. */
export async function listCollections(deps: Deps): Promise<OperatorCollection[]> {
  return (await collections.listCollections(deps.db)).map((row) => toAnswer(deps, row))
}

export async function getCollection(deps: Deps, ref: string): Promise<OperatorCollection> {
  return toAnswer(deps, await collections.getCollection(deps.db, ref))
}

export async function createCollection(
  deps: Deps,
  operator: Operator,
  sent: CollectionPatch,
): Promise<OperatorCollection> {
  return await collections.changeCollections(deps, async (tx) => {
    const made = await collections.addCollection(tx, sent)
    await record(tx, operator, 'create_collection', made)
    return toAnswer(deps, made)
  })
}

export async function changeCollection(
  deps: Deps,
  operator: Operator,
  ref: string,
  patch: CollectionPatch,
): Promise<OperatorCollection> {
  return await collections.changeCollections(deps, async (tx) => {
    const { before, after } = await collections.editCollection(tx, ref, patch)
    const answer = toAnswer(deps, after)
    const reason = describeChanges(toAnswer(deps, before), answer)
    if (reason !== '') await record(tx, operator, 'change_collection', after, reason)
    return answer
  })
}

export async function deleteCollection(deps: Deps, operator: Operator, ref: string): Promise<void> {
  await collections.changeCollections(deps, async (tx) => {
    await record(tx, operator, 'delete_collection', await collections.removeCollection(tx, ref))
  })
}

function describeChanges(before: Record<string, unknown>, after: Record<string, unknown>): string {
  return Object.entries(after)
    .map(([name, value]) => ({ name, before: before[name], after: value }))
    .filter((change) => !Bun.deepEquals(change.before, change.after))
    .map(describeChange)
    .join('; ')
}

async function record(
  tx: Transaction,
  operator: Operator,
  act: 'create_collection' | 'change_collection' | 'delete_collection',
  { uid, title }: Row,
  reason?: string,
): Promise<void> {
  await recordAct(tx, operator, { act, subject: 'collection', id: uid, name: title, reason })
}

function toAnswer({ config }: Pick<Deps, 'config'>, row: Row): OperatorCollection {
  return respond(OperatorCollection, row, { ...toSummary(config.baseUrl, row), games: row.gameUids })
}
