import { completeConfig, parseConfig } from '../../../../src/config/config.ts'
/**
 * Records and composes all digests that are due, as the jobs of one process do, and hands them to a mail server that takes
 * no time. Reads the configuration from the environment, prints the figures.
 */
import { createDeps } from '../../../../src/deps.ts'
import { recordDueDigests } from '../../../../src/features/community/digests/due.ts'
import { sendWaitingDigests } from '../../../../src/features/community/digests/send.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import { lowerJobsPriority } from '../../../../src/lib/thread-priority.ts'

export interface DigestFigures {
  recorded: number
  sent: number
  recordSeconds: number
  seconds: number
}

if (import.meta.main) {
  lowerJobsPriority()
  const parsed = parseConfig(process.env)
  const log = createLogger({ level: 'error', pretty: false })
  const databaseUrl = parsed.databaseUrl ?? ''
  const deps = await createDeps(
    completeConfig(parsed, { port: 0, databaseUrl, secretKey: parsed.secretKey ?? 'only for measuring it' }),
    log,
  )
  let sent = 0
  const mailer = {
    kind: 'smtp' as const,
    async send() {
      sent += 1
    },
    async check() {},
    async dispose() {},
  }
  const { signal } = new AbortController()
  const started = performance.now()
  const recorded = await recordDueDigests(deps, signal)
  const recordSeconds = (performance.now() - started) / 1000
  await sendWaitingDigests({ ...deps, mailer: async () => mailer }, { log, signal })
  const seconds = (performance.now() - started) / 1000
  const figures: DigestFigures = { recorded, sent, recordSeconds, seconds }
  console.log(JSON.stringify(figures))
  await deps.dispose()
}
