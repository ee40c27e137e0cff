import { findInstallationFault } from '../clients/object-store/storage-owner.ts'
import { runProbe } from '../clients/probe.ts'
import type { ParsedConfig } from '../config.ts'
import { readInstallationId } from '../db/installation.ts'
import { readMigrationState } from '../db/migrate.ts'
import { countStaleSecrets } from '../db/reencrypt.ts'
import { createDeps, type Deps } from '../deps.ts'
import { describeSharedDomain } from '../domain/play-origins.ts'
import { readQueueState } from '../jobs/queue.ts'
import { type CommandContext, prepare, releaseEmbedded } from './context.ts'
import { checkPlayOrigins } from './doctor-play.ts'
import { checkStripeWebhook } from './doctor-stripe.ts'

interface Finding {
  ok: boolean
  /** A warning is printed but does not fail the check. */
  warning?: boolean
  subject: string
  text: string
}

/** Checks every configured service and the data, and prints how to fix each fault. Returns whether all is well. */
export async function runDoctor(context: CommandContext): Promise<boolean> {
  const findings = await examine(context)
  for (const { ok, warning, subject, text } of findings) {
    console.log(`${ok ? (warning ? '!' : '✓') : '✗'} ${subject.padEnd(12)} ${text}`)
  }
  const faults = findings.filter((finding) => !finding.ok).length
  console.log(faults === 0 ? '\nAll is well.' : `\n${faults} to fix.`)
  return faults === 0
}

async function examine(context: CommandContext): Promise<Finding[]> {
  const prepared = await prepare(context, context.parsed.port).catch((error: unknown) => String(error))
  if (typeof prepared === 'string') return [{ ok: false, subject: 'database', text: prepared }]
  const { config, embedded } = prepared
  const deps = await createDeps(config, context.log)
  try {
    const [play, webhook, ...services] = await Promise.all([
      checkPlayOrigins(config.playUrl),
      checkStripeWebhook(deps),
      ...deps.probes.map(runProbe),
    ])
    const found: Finding[] = services.map(({ up, name, using, latency_ms, error, advice }) => ({
      ok: up,
      subject: name,
      text: up ? `${using}, answered in ${latency_ms} ms` : `${using}: ${error}. ${advice}`,
    }))
    const isUp = (name: string) => services.some((service) => service.name === name && service.up)
    const shared = describeSharedDomain(config)
    const findings: Finding[] = [
      ...found,
      { subject: 'play', ...play },
      ...(shared === null ? [] : [{ ok: true, warning: true, subject: 'play', text: shared }]),
      ...webhook,
    ]
    return isUp('database') ? [...findings, ...(await examineData(deps, isUp('storage')))] : findings
  } finally {
    await deps.dispose()
    await releaseEmbedded(context.parsed, embedded)
  }
}

async function examineData(deps: Deps, hasStore: boolean): Promise<Finding[]> {
  const migrations = await readMigrationState(deps.config.databaseUrl)
  if (!migrations.current) {
    const text = `${migrations.applied} of ${migrations.total} migrations applied. Run \`playshelf migrate\`.`
    return [{ ok: false, subject: 'schema', text }]
  }
  const [queue, stale] = await Promise.all([readQueueState(deps.db), countStaleSecrets(deps)])
  const dead = queue.dead.map(({ task, count, last_error }) => ({
    ok: false,
    subject: 'jobs',
    text: `${count} of ${task} failed for good: ${last_error ?? 'no reason recorded'}. Fix the cause, then run them again or delete them in graphile_worker.jobs.`,
  }))
  return [
    { ok: true, subject: 'schema', text: `${migrations.applied} migrations, current` },
    ...(hasStore ? [await examineInstallation(deps)] : []),
    ...(dead.length > 0 ? dead : [{ ok: true, subject: 'jobs', text: `${queue.queued} waiting, none dead` }]),
    stale === 0
      ? { ok: true, subject: 'secrets', text: 'all encrypted with the current SECRET_KEY' }
      : {
          ok: true,
          warning: true,
          subject: 'secrets',
          text: `${stale} still encrypted with SECRET_KEY_PREVIOUS. \`playshelf migrate\` re-encrypts them; then remove it.`,
        },
  ]
}

async function examineInstallation(deps: Deps): Promise<Finding> {
  const subject = 'installation'
  const fault = await findInstallationFault(deps)
  if (fault !== null) return { ok: false, subject, text: fault }
  const id = await readInstallationId(deps.db)
  const text = id === null ? 'new' : `${id}, the same in database and object store`
  return { ok: true, subject, text }
}

/** For container health checks: asks the server that runs with this configuration. */
export async function checkReady(parsed: ParsedConfig): Promise<boolean> {
  const host = ['0.0.0.0', '::'].includes(parsed.host) ? '127.0.0.1' : parsed.host
  const answer = await fetch(`http://${host}:${parsed.port}/ready`, {
    signal: AbortSignal.timeout(5000),
  }).catch(() => null)
  console.log(answer ? await answer.text() : `No server responds on port ${parsed.port}.`)
  return answer?.ok ?? false
}
