import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import postgres from 'postgres'

import { streamBaseBackup } from '../../../src/commands/backup-archive.ts'
import {
  chownToPostgres,
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../../src/db/embedded/embedded.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { waitFor } from '../wait.ts'
import { isRunning } from './is-running.ts'

const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '100' }

/** Each statement is logged with the name of the program that sent it. */
export const LOGGED = { log_statement: 'all', log_line_prefix: '%a|' }

export interface TestReplica {
  /** Accepts connections here while it runs; the port changes with each start. */
  url(): string
  /** Runs a statement on it. */
  run(text: string): Promise<postgres.RowList<postgres.Row[]>>
  /** How many statements with this text the server's reads have sent to it; needs the settings `LOGGED`. */
  countReads(text: string): Promise<number>
  /** Ends it like a crash. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A Postgres of its own, with the schema. */
export async function startPrimary(dir: string): Promise<EmbeddedPostgres> {
  const primary = await openEmbeddedPostgres(join(dir, 'primary'), { settings: SETTINGS })
  await migrateDatabase(primary.url)
  return primary
}

/** Copies the primary and follows it, as `pg_basebackup --write-recovery-conf` does. */
export async function startReplica(
  dir: string,
  primaryUrl: string,
  more: Record<string, string> = {},
): Promise<TestReplica> {
  const settings = { ...SETTINGS, ...more }
  const data = join(dir, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await extract(streamBaseBackup(primaryUrl), data)
  const { hostname, port, username, password } = new URL(primaryUrl)
  await writeFile(join(dir, 'password'), password, { mode: 0o600 })
  await writeFile(join(data, 'standby.signal'), '')
  await appendFile(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  )
  await giveFolder(dir)
  let running = await openEmbeddedPostgres(dir, { settings })

  async function readPid(): Promise<number> {
    return Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0])
  }

  return {
    url: () => running.url,
    async run(text) {
      const client = postgres(running.url, { max: 1, onnotice: () => undefined })
      try {
        return await client.unsafe(text)
      } finally {
        await client.end()
      }
    },
    async countReads(text) {
      const lines = (await readFile(join(dir, 'postgres.log'), 'utf8')).split('\n')
      return lines.filter((line) => line.startsWith('playshelf replica|') && line.includes(text)).length
    },
    async kill() {
      const pid = await readPid()
      process.kill(pid, 'SIGQUIT')
      await waitFor('the end of the replica', async () => !(await isRunning(pid)))
    },
    async start() {
      running = await openEmbeddedPostgres(dir, { settings })
    },
    stop: () => running.stop().catch(() => undefined),
  }
}

async function extract(tar: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const child = Bun.spawn(['tar', '-x', '-C', folder], { stdin: 'pipe', stderr: 'pipe' })
  for await (const chunk of tar) {
    await child.stdin.write(chunk)
    await child.stdin.flush()
  }
  await child.stdin.end()
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text())
}

async function giveFolder(folder: string): Promise<void> {
  const paths = new Bun.Glob('**').scan({ cwd: folder, dot: true, onlyFiles: false, absolute: true })
  await chownToPostgres(folder)
  for await (const path of paths) await chownToPostgres(path)
}
