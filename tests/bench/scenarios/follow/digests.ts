import { join } from 'node:path'

import postgres from 'postgres'

import { bareEnvironment } from '../../environment.ts'
import { judge, type Line, summarise } from '../../report/line.ts'
import type { DigestFigures } from './digests-child.ts'

const PREPARED_S = 300
const PAGE_RATIO = 2
const VIEWS = 500
const PAUSE_MS = 20

/** Digests of everything that the players follow, while somebody else reads a page. */
export async function measureDigests(
  settings: Record<string, string>,
  digests: number,
  readPage: (sent: number) => Promise<void>,
) {
  await makeDue(settings.DATABASE_URL ?? '', digests)
  const quiet = await readPages(readPage, (views) => views < VIEWS)
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'digests-child.ts')], {
    env: { ...bareEnvironment(), ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let isRunning = true
  const reading = readPages(readPage, () => isRunning)
  const figures: DigestFigures = JSON.parse(await child.stdout.text())
  isRunning = false
  const busy = await reading
  if (figures.sent !== digests) throw new Error(`${figures.sent} of ${digests} digests were sent`)
  return { figures, quiet, busy }
}

export function digestLines(
  scenario: string,
  digests: number,
  { figures, quiet, busy }: Awaited<ReturnType<typeof measureDigests>>,
): Line[] {
  return [
    judge({
      scenario,
      measure: `preparing ${digests.toLocaleString('en')} digests`,
      unit: 's',
      details: figures,
      subject: figures.seconds,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: PREPARED_S },
    }),
    judge({
      scenario,
      measure: '/notices: p95 latency while digests are prepared, against quiet',
      unit: 'ms',
      details: { quiet, busy },
      subject: busy.p95,
      baseline: quiet.p95,
      target: { of: 'ratio', must: 'stay below', value: PAGE_RATIO },
    }),
  ]
}

/** All of them have confirmed addresses, and had their last digest a week ago, as far as is known. */
async function makeDue(databaseUrl: string, digests: number): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await sql`truncate notice_mails`
    await sql`
      insert into notice_settings (user_uid, digest, next_digest_at, digest_until)
      select md5('user ' || n)::uuid, 'daily', now() - interval '1 minute', now() - interval '7 days'
      from generate_series(1, ${digests}::integer) as n
      on conflict (user_uid) do update set
        next_digest_at = excluded.next_digest_at, digest_until = excluded.digest_until`
    await sql`
      update users set email_verified = true from generate_series(1, ${digests}::integer) as n
      where id = md5('user ' || n)::uuid`
    await sql.unsafe('vacuum analyze users, notice_settings')
  } finally {
    await sql.end()
  }
}

async function readPages(readPage: (sent: number) => Promise<void>, goesOn: (views: number) => boolean) {
  const times: number[] = []
  while (goesOn(times.length)) {
    const started = performance.now()
    await readPage(times.length)
    times.push(performance.now() - started)
    await Bun.sleep(PAUSE_MS)
  }
  return summarise(times)
}
