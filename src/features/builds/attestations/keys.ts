import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { keyIdOf } from '../../../lib/dsse.ts'
import type { KeySet } from './model.ts'
import * as queries from './queries.ts'

type KeyDeps = Pick<Deps, 'db' | 'keyring'>

export interface SigningKey {
  id: string
  key: CryptoKey
}

/** The newest key, which is made on first use. `tx` is the transaction that the statement is stored in. */
export async function openSigningKey({ keyring }: KeyDeps, tx: Transaction): Promise<SigningKey> {
  const { id, privateKey } = (await queries.listKeys(tx))[0] ?? (await makeFirstKey({ keyring }, tx))
  const bytes = Buffer.from(keyring.decrypt(privateKey, encryptionContext.statementKey(id)), 'base64')
  return { id, key: await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']) }
}

/** Every key that ever signed: statements of older ones stay valid. */
export async function readPublicKeys(deps: KeyDeps): Promise<KeySet> {
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

/** From now on the new key signs; the others stay published. Returns their ids, newest first. */
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
