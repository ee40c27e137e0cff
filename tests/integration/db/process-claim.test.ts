import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { createProcessClaim, isAlive } from '../../../src/db/locks/process-claim.ts'
import { countStaleSecrets, encryptionContext, reencryptSecrets } from '../../../src/db/reencrypt.ts'
import { bugReporters } from '../../../src/db/schema/bugs.ts'
import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import { createKeyring } from '../../../src/lib/keyring.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { useDatabase } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

const database = useDatabase()

const lives = async (name: string): Promise<boolean> => {
  const [row] = await database.db.execute<{ lives: boolean }>(sql`select ${isAlive(sql`${name}`)} as lives`)
  return row?.lives ?? false
}

/** A process of its own that holds a claim until it is killed. */
async function startHolder() {
  const module = join(import.meta.dir, '../../../src/db/locks/process-claim.ts')
  const script = `
    const { createProcessClaim } = await import(${JSON.stringify(module)})
    const { name } = await createProcessClaim(${JSON.stringify(database.url)}).hold()
    console.log(name)`
  const child = Bun.spawn(['bun', '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  for await (const text of child.stdout) return { child, name: new TextDecoder().decode(text).trim() }
  throw new Error('The holder said nothing')
}

describe('the claim of a process', () => {
  test('gives it a name that is alive while it is held, and one for all', async () => {
    const claim = createProcessClaim(database.url)
    const [one, two] = await Promise.all([claim.hold(), claim.hold()])
    expect(one.name).toBe(two.name)
    expect(await lives(one.name)).toBe(true)
    expect(await lives(crypto.randomUUID())).toBe(false)
    one.release()
    expect(await lives(one.name)).toBe(true)
    two.release()
    expect((await claim.hold()).name).toBe(one.name)
  })

  test('differs from that of any other', async () => {
    const [one, two] = await Promise.all([
      createProcessClaim(database.url).hold(),
      createProcessClaim(database.url).hold(),
    ])
    expect(one.name).not.toBe(two.name)
  })

  test('dies with a process that is killed', async () => {
    const { child, name } = await startHolder()
    expect(await lives(name)).toBe(true)
    child.kill('SIGKILL')
    await waitFor('the name is dead', async () => !(await lives(name)))
  })

  test('is told to be lost with its database session, and made anew under another name', async () => {
    const claim = createProcessClaim(database.url)
    const hold = await claim.hold()
    const lost = new Promise((resolve) => hold.lost.addEventListener('abort', resolve))
    await database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'playshelf claim' and datname = current_database()`)
    await lost
    expect(await lives(hold.name)).toBe(false)
    const next = await claim.hold()
    expect(next.name).not.toBe(hold.name)
    expect(await lives(next.name)).toBe(true)
  })

  test('fails where there is no database', async () => {
    const claim = createProcessClaim('postgres://nobody@127.0.0.1:1/none')
    expect(claim.hold()).rejects.toThrow()
    expect(claim.hold()).rejects.toThrow()
  })
})

test('a change of SECRET_KEY moves every stored secret to the new key', async () => {
  const [oldKey, newKey] = ['o'.repeat(32), 'n'.repeat(32)]
  const { db } = database
  const gameUid = await insertBareGame(db)
  const before = createKeyring(oldKey, null)
  const { authKey, webApiKey } = await insertLink({ db, keyring: before }, gameUid)
  const signingKey = before.encrypt('signing key', encryptionContext.bugSigningKey(gameUid))
  await db.insert(bugReporters).values({ gameUid, signingKey })

  const rotating = { db, keyring: createKeyring(newKey, oldKey) }
  expect(await countStaleSecrets(rotating)).toBe(3)
  expect(await reencryptSecrets(rotating)).toBe(3)
  expect(await reencryptSecrets(rotating)).toBe(0)

  const [row] = await db.select().from(extstoreLinks)
  const keyring = createKeyring(newKey, null)
  expect(keyring.decrypt(row?.authKey ?? '', encryptionContext.gameAuthKey(gameUid))).toBe(authKey)
  expect(keyring.decrypt(row?.webApiKey ?? '', encryptionContext.webApiKey(gameUid))).toBe(webApiKey)
  const [reporter] = await db.select().from(bugReporters)
  const context = encryptionContext.bugSigningKey(gameUid)
  expect(keyring.decrypt(reporter?.signingKey ?? '', context)).toBe('signing key')
})
