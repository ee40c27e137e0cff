import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { stateFile } from '../../../domain/builds/statements.ts'
import { signEnvelope } from '../../../lib/dsse.ts'
import { openSigningKey } from './keys.ts'
import * as queries from './queries.ts'

/** Signs what the store knows of a clean file, in the transaction that made it clean. */
export async function attestFile(
  deps: Pick<Deps, 'db' | 'keyring'>,
  tx: Transaction,
  fileUid: string,
): Promise<void> {
  const found = await queries.findStatedFile(tx, fileUid)
  if (found?.file.scan !== 'clean') return
  const { file, build, app } = found
  const key = await openSigningKey(deps, tx)
  for (const statement of stateFile({ ...file, build: { ...build, app } })) {
    const envelope = JSON.stringify(await signEnvelope(JSON.stringify(statement), key))
    await queries.saveEnvelope(tx, { fileUid, predicateType: statement.predicateType, envelope })
  }
}

/** The envelopes as they were stored; those of a file from before statements existed are made now. */
export async function readEnvelopes(deps: Pick<Deps, 'db' | 'keyring'>, fileUid: string): Promise<string[]> {
  const stored = await queries.listEnvelopes(deps.db, fileUid)
  if (stored.length > 0) return stored
  await deps.db.transaction((tx) => attestFile(deps, tx, fileUid))
  return await queries.listEnvelopes(deps.db, fileUid)
}
