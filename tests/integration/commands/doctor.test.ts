import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openDatabase } from '../../../src/db/client.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { createKeyring } from '../../../src/lib/keyring.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../helpers/database.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { failingJob } from '../../helpers/jobs.ts'
import { startOf } from '../../helpers/processes/binaries.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../../helpers/server.ts'
import { startStripeDouble } from '../../helpers/stripe-double/double.ts'

let database: TestDatabase
let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  database = await createTestDatabase()
  dir = await createTempDir('doctor')
})
afterAll(async () => {
  await database.drop()
  await dir.remove()
})

async function run(
  command: string,
  env: Record<string, string> = {},
): Promise<{ out: string; code: number }> {
  const settings = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dir.path,
    DATABASE_URL: database.url,
    SECRET_KEY: TEST_SECRET_KEY,
    ...env,
  }
  const program = startOf(command.split(' '), settings)
  const child = Bun.spawn(program.command, {
    env: program.env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out: out + err, code }
}

describe('doctor in a store that sells', () => {
  test('checks the key, the mode, the secret and the address of the webhook', async () => {
    const stripe = await startStripeDouble()
    const BASE_URL = 'http://127.0.0.1:8080'
    try {
      stripe.sendTo(BASE_URL)
      const good = await run('doctor', { ...stripe.env, BASE_URL })
      expect(good.out).toContain('stripe, test mode')
      expect(good.out).toContain(`Stripe sends events to ${BASE_URL}/api/v1/stripe/webhook`)
      expect(good.code).toBe(0)
      const wrong = { STRIPE_SECRET_KEY: 'sk_test_wrong', STRIPE_WEBHOOK_SECRET: '' }
      const bad = await run('doctor', { ...stripe.env, ...wrong, BASE_URL })
      expect(bad.out).toContain('✗ payments')
      expect(bad.out).toContain('STRIPE_WEBHOOK_SECRET is not set')
      expect(bad.out).not.toContain(wrong.STRIPE_SECRET_KEY)
      expect(bad.code).toBe(1)
    } finally {
      await stripe.stop()
    }
  })
})

describe('doctor', () => {
  test('finds a sound installation well', async () => {
    const { out, code } = await run('doctor')
    expect(out).toContain('All is well.')
    expect(code).toBe(0)
  })

  test('checks every configured service and says what to do about each fault', async () => {
    const { out, code } = await run('doctor', {
      DATABASE_READ_URL: database.url,
      MEILI_URL: 'http://127.0.0.1:1',
      SCANNER_URL: 'clamd://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      STORAGE_URL: 's3://nothing?endpoint=http://127.0.0.1:1&path_style=true',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret-of-the-store',
      BASE_URL: 'https://games.example.org',
      PLAY_URL: 'https://*.play.example.org',
    })
    expect(code).toBe(1)
    expect(out).toMatch(/^! play +PLAY_URL and BASE_URL share the domain example\.org/m)
    for (const [name, advice] of [
      ['replica', 'this server is not a replica'],
      ['replica', 'DATABASE_READ_URL'],
      ['storage', 'STORAGE_URL'],
      ['mail', 'SMTP_URL'],
      ['search', 'MEILI_URL'],
      ['scanner', 'SCANNER_URL'],
      ['rate limits', 'REDIS_URL'],
    ] as const) {
      const line = out.split('\n').find((text) => text.startsWith(`✗ ${name}`)) ?? ''
      expect(line).toContain(advice)
    }
    expect(out).toContain('✓ database')
    expect(out).not.toContain('secret-of-the-store')
  })

  test('names a database that is away', async () => {
    const { out, code } = await run('doctor', { DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/x' })
    expect(code).toBe(1)
    expect(out).toContain('✗ database')
    expect(out).toContain('DATABASE_URL')
    expect(out).not.toContain('hush')
  })

  test('names a schema that is behind', async () => {
    const empty = await createEmptyDatabase()
    const { out, code } = await run('doctor', { DATABASE_URL: empty.url })
    await empty.drop()
    expect(code).toBe(1)
    expect(out).toContain('Run `playshelf migrate`')
  })

  test('names dead jobs with their last reason', async () => {
    const { db, dispose } = openDatabase(database.url)
    await enqueue(db, failingJob, { reason: '' })
    await db.execute(
      sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'the disk is full'`,
    )
    const { out, code } = await run('doctor')
    await db.execute(sql`delete from graphile_worker._private_jobs`)
    await dispose()
    expect(code).toBe(1)
    expect(out).toContain(`1 of ${failingJob.name} failed for good: the disk is full`)
  })

  test('tells of secrets under the previous key, and migrate moves them', async () => {
    const { db, dispose } = openDatabase(database.url)
    const gameUid = await insertBareGame(db)
    await insertLink({ db, keyring: createKeyring(TEST_SECRET_KEY, null) }, gameUid)
    await dispose()
    const rotated = {
      SECRET_KEY: 'another-secret-key-that-is-long-enough',
      SECRET_KEY_PREVIOUS: TEST_SECRET_KEY,
    }
    expect((await run('doctor', rotated)).out).toContain('2 still encrypted with SECRET_KEY_PREVIOUS')
    expect((await run('migrate', rotated)).out).toContain(
      '2 secrets were re-encrypted with the current SECRET_KEY',
    )
    expect((await run('doctor', rotated)).out).toContain('all encrypted with the current SECRET_KEY')
  })

  test('--ready asks the running server', async () => {
    const { out, code } = await run('doctor --ready', { PORT: '1' })
    expect(code).toBe(1)
    expect(out).toContain('No server responds on port 1')
  })
})

test('reindex answers', async () => {
  expect(await run('reindex')).toMatchObject({ code: 0 })
})
