import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { apps, builds } from '../../../src/db/schema/builds.ts'
import { deployKeys } from '../../../src/db/schema/deploy-keys.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../src/lib/ids.ts'

export interface UploadAccount {
  buildId: string
  /** The headers of the deploy key. */
  headers: Record<string, string>
}

/** Inserts games, each with a verified owner, a build and a deploy key. */
export async function insertUploadAccounts(databaseUrl: string, count: number): Promise<UploadAccount[]> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const ownerUid = createUid()
    const username = ownerUid.slice(-12)
    const email = `${username}@bench.example`
    await database.db
      .insert(users)
      .values({ id: ownerUid, name: 'Bench', email, username, emailVerified: true })
    const accounts: UploadAccount[] = []
    while (accounts.length < count) {
      accounts.push(await database.db.transaction((tx) => insertGame(tx, ownerUid)))
    }
    return accounts
  } finally {
    await database.dispose()
  }
}

type Tx = Parameters<Parameters<ReturnType<typeof openDatabase>['db']['transaction']>[0]>[0]

async function insertGame(tx: Tx, ownerUid: string): Promise<UploadAccount> {
  const [gameUid, appUid, buildId] = [createUid(), createUid(), createUid()]
  const [accessToken, secret] = [createSecret(), createSecret()]
  const vanityName = `lighthouse-${gameUid.slice(-12)}`
  await tx.insert(games).values({ uid: gameUid, ownerUid, name: 'Lighthouse', vanityName, assetType: 'game' })
  await tx.insert(apps).values({ uid: appUid, gameUid, slug: 'main', name: 'Lighthouse' })
  const platform = { os: 'linux', arch: 'x86_64', channel: 'stable' } as const
  await tx
    .insert(builds)
    .values({ uid: buildId, gameUid, appUid, version: '1', buildType: 'game', ...platform })
  await tx.insert(deployKeys).values({ gameUid, accessToken, secretHash: sha256Hex(secret) })
  return { buildId, headers: { 'x-access-token': accessToken, 'x-secret-key': secret } }
}
