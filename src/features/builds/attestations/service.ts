import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { stateFile } from '../../../domain/builds/statements.ts'
import { keyIdOf, signEnvelope } from '../../../lib/dsse.ts'
import type { KeySet } from './model.ts'
import * as queries from './queries.ts'

/** Signs what is known about a clean file, in the transaction that made it clean. */
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

/** The envelopes as they were stored. A file from before statements existed gets its envelopes now. */
export async function listEnvelopes(deps: Pick<Deps, 'db' | 'keyring'>, fileUid: string): Promise<string[]> {
  const stored = await queries.listEnvelopes(deps.db, fileUid)
  if (stored.length > 0) return stored
  await deps.db.transaction((tx) => attestFile(deps, tx, fileUid))
  return await queries.listEnvelopes(deps.db, fileUid)
}

type KeyDeps = Pick<Deps, 'db' | 'keyring'>

interface SigningKey {
  id: string
  key: CryptoKey
}

/** The newest key, which is made on first use. `tx` is the transaction that the statement is stored in. */
async function openSigningKey({ keyring }: KeyDeps, tx: Transaction): Promise<SigningKey> {
  const { id, privateKey } = (await queries.listKeys(tx))[0] ?? (await makeFirstKey({ keyring }, tx))
  const bytes = Buffer.from(keyring.decrypt(privateKey, encryptionContext.statementKey(id)), 'base64')
  return { id, key: await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']) }
}

/** Every key that ever signed: statements of older ones stay valid. */
export async function loadPublicKeys(deps: KeyDeps): Promise<KeySet> {
  const known = await queries.listKeys(deps.db)
  const rows = known.length > 0 ? known : [await deps.db.transaction((tx) => makeFirstKey(deps, tx))]
  return {
    keys: rows.map(({ id, publicKey }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: publicKey,
      kid: id,
      use: 'sig',
      alg: 'EdDSA',
    })),
  }
}

/** Creates a new signing key; the earlier ones stay published. Returns the ids of all keys, newest first. */
export async function rotateKeys(deps: KeyDeps): Promise<string[]> {
  await deps.db.transaction(async (tx) => {
    await queries.lockKeys(tx)
    await insertNewKey(deps, tx)
  })
  return await listKeyIds(deps.db)
}

export async function listKeyIds(db: Db): Promise<string[]> {
  return (await queries.listKeys(db)).map(({ id }) => id)
}

async function makeFirstKey(
  deps: Pick<KeyDeps, 'keyring'>,
  tx: Transaction,
): Promise<queries.StatementKeyRow> {
  await queries.lockKeys(tx)
  const [present] = await queries.listKeys(tx)
  return present ?? (await insertNewKey(deps, tx))
}

async function insertNewKey(
  { keyring }: Pick<KeyDeps, 'keyring'>,
  tx: Transaction,
): Promise<queries.StatementKeyRow> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('Ed25519 made no pair of keys')
  const { x = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const secret = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
  const id = await keyIdOf(x)
  const values = {
    id,
    publicKey: x,
    createdAt: new Date(),
    privateKey: keyring.encrypt(secret, encryptionContext.statementKey(id)),
  }
  await queries.insertKey(tx, values)
  return values
}
