import { watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { MailMessage } from '../../../src/clients/mail/mail.ts'
import { openFolderMailer } from '../../../src/clients/mail/open-mailer.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { sendMail } from '../../../src/features/mail/jobs.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge, summarise } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const SINGLES = 200
const BATCH = 2000
const PAUSE_MS = 10
const LIMIT_MS = 60_000

/** Uses mails written to disk, about the smallest job with a visible result. */
export const jobs: Scenario = {
  name: 'jobs',
  about: `${SINGLES} mails queued one by one, then ${BATCH} in one transaction; the same mails written without a queue`,
  async run(environment) {
    const settings = await environment.settings({ ROLE: 'worker' })
    const folder = join(settings.DATA_DIR ?? '', 'mail')
    await mkdir(folder, { mode: 0o700 })
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    const database = openDatabase(await environment.databaseUrl(), { maxConnections: 1 })
    const arrivals = watchArrivals(folder)
    try {
      const waits: number[] = []
      for (const mail of makeMails(SINGLES)) {
        const queued = performance.now()
        await enqueue(database.db, sendMail, mail)
        waits.push((await arrivals.of(mail)) - queued)
        await Bun.sleep(PAUSE_MS)
      }
      const batch = makeMails(BATCH)
      await database.db.transaction(async (tx) => {
        for (const mail of batch) await enqueue(tx, sendMail, mail)
      })
      const committed = performance.now()
      const ends = await Promise.all(batch.map((mail) => arrivals.of(mail)))
      const perSecond = BATCH / ((Math.max(...ends) - committed) / 1000)
      const latencyMs = summarise(waits)
      const common = { scenario: 'jobs', details: { latencyMs } }
      return [
        judge({
          ...common,
          measure: 'queued to done, p50',
          unit: 'ms',
          subject: latencyMs.p50,
          baseline: null,
        }),
        judge({
          ...common,
          measure: 'queued to done, p95',
          unit: 'ms',
          subject: latencyMs.p95,
          baseline: null,
        }),
        judge({
          ...common,
          measure: 'jobs per second',
          unit: 'jobs',
          subject: perSecond,
          baseline: await writeDirectly(join(settings.DATA_DIR ?? '', 'direct')),
        }),
      ]
    } finally {
      arrivals.close()
      await database.dispose()
      await server.stop()
    }
  },
}

function makeMails(count: number): MailMessage[] {
  return Array.from({ length: count }, () => ({
    to: 'player@bench.example',
    subject: 'A mail to count',
    text: 'Nobody reads this.',
    messageId: createUid(),
  }))
}

/** Records when each mail's file gets its final name. */
function watchArrivals(folder: string) {
  const seen = new Map<string, PromiseWithResolvers<number>>()
  const entry = (name: string) => {
    const known = seen.get(name) ?? Promise.withResolvers<number>()
    seen.set(name, known)
    return known
  }
  const watcher = watch(folder, (_event, name) => {
    if (name?.endsWith('.eml')) entry(name).resolve(performance.now())
  })
  return {
    async of({ messageId }: MailMessage): Promise<number> {
      const late = Bun.sleep(LIMIT_MS).then(() => {
        throw new Error(`A mail was not written within ${LIMIT_MS / 1000} s`)
      })
      return await Promise.race([entry(`${messageId}.eml`).promise, late])
    },
    close: () => watcher.close(),
  }
}

async function writeDirectly(folder: string): Promise<number> {
  const mailer = openFolderMailer(
    folder,
    'bench@bench.example',
    createLogger({ level: 'silent', pretty: false }),
  )
  const started = performance.now()
  for (const mail of makeMails(BATCH)) await mailer.send(mail)
  return BATCH / ((performance.now() - started) / 1000)
}
