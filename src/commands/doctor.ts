import { lookup as lookUpName } from 'node:dns/promises'

import { findInstallationFault } from '../clients/objects/storage-owner.ts'
import { runProbe } from '../clients/probe.ts'
import type { ParsedConfig } from '../config/config.ts'
import { findInstallationId } from '../db/installation.ts'
import { loadMigrationState } from '../db/migrate.ts'
import { countStaleSecrets } from '../db/reencrypt.ts'
import { createDeps, type Deps } from '../deps.ts'
import { describeSharedDomain, playOrigin } from '../domain/play-origins.ts'
import { loadQueueState } from '../jobs/queue.ts'
import { LATE, waitAtMost } from '../lib/flow/with-timeout.ts'
import { createUid } from '../lib/ids.ts'
import { type CommandContext, prepare, releaseEmbedded } from './context.ts'

const WAIT_MS = 5000
/** The system itself may try for half a minute. */
const LOOK_UP_MS = 3000
/** The codes of a certificate that browsers would refuse. */
const CERTIFICATE = /CERT|TLS|SSL|SIGNED|SIGNATURE/

interface PlayCheck {
  ok: boolean
  warning?: boolean
  text: string
}

export interface Network {
  /** Throws for a name that does not resolve. */
  lookUp(host: string): Promise<unknown>
  request(url: string): Promise<Pick<Response, 'status' | 'headers'>>
}

const NETWORK: Network = {
  lookUp: (host) => lookUpName(host),
  request: (url) => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(WAIT_MS) }),
}

/** Whether browsers reach the origins of games: a wildcard name, its certificate, and that we answer there. */
export async function checkPlayOrigins(
  pattern: string | null,
  network = NETWORK,
  lookUpMs = LOOK_UP_MS,
): Promise<PlayCheck> {
  if (pattern === null) {
    const text = 'PLAY_URL is not set: web builds can be downloaded, but not played in the browser'
    return { ok: true, warning: true, text }
  }
  // The uid of no game: all origins of the pattern must lead here.
  const origin = playOrigin(pattern, createUid())
  const { hostname } = new URL(origin)
  if (hostname.endsWith('.localhost')) {
    return { ok: true, text: `${pattern}, which browsers on this machine resolve by themselves` }
  }
  try {
    const found = await waitAtMost(lookUpMs, network.lookUp(hostname))
    if (found === LATE) {
      const text = `the name server did not answer for ${hostname} within ${lookUpMs / 1000} s. Check the DNS of this machine, then run this again.`
      return { ok: false, text }
    }
  } catch {
    const wildcard = pattern.replace(/^https?:\/\//, '')
    return { ok: false, text: `${hostname} does not resolve. Add a DNS record for ${wildcard}.` }
  }
  return await ask(origin, pattern, network)
}

async function ask(origin: string, pattern: string, network: Network): Promise<PlayCheck> {
  try {
    const { status, headers } = await network.request(`${origin}/`)
    if (status === 404 && headers.get('cross-origin-resource-policy') === 'cross-origin') {
      return { ok: true, text: `${pattern}, answers there` }
    }
    const text = `${origin} is answered by another program (status ${status}). Forward the wildcard host to Playshelf, with the Host header as it came.`
    return { ok: false, text }
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    if (CERTIFICATE.test(code)) {
      const text = `browsers refuse the certificate of ${origin} (${message}). Use one for the wildcard name.`
      return { ok: false, text }
    }
    const text = `${origin} does not answer (${message}). Run this again while the server runs.`
    return { ok: true, warning: true, text }
  }
}

interface StripeFinding {
  ok: boolean
  warning?: boolean
  subject: string
  text: string
}

const SUBJECT = 'webhook'

/** Whether events of Stripe reach the store; nothing in a store that sells nothing. */
async function checkStripeWebhook({ payments, config }: Deps): Promise<StripeFinding[]> {
  if (!payments || !config.payments) return []
  const address = `${config.baseUrl}/api/v1/stripe/webhook`
  if (config.payments.webhookSecrets.length === 0) {
    const text = `STRIPE_WEBHOOK_SECRET is not set, so no event is believed. Add the endpoint ${address} in Stripe's dashboard and set its signing secret.`
    return [{ ok: false, subject: SUBJECT, text }]
  }
  try {
    const urls = await payments.listWebhookUrls()
    if (urls.includes(address))
      return [{ ok: true, subject: SUBJECT, text: `Stripe sends events to ${address}` }]
    const others = urls.length === 0 ? 'Stripe knows no endpoint' : `Stripe knows ${urls.join(', ')}`
    const text = `${others}. Add ${address} in its dashboard; until then orders are asked about once a minute.`
    return [{ ok: true, warning: true, subject: SUBJECT, text }]
  } catch {
    // The service itself is reported by its probe; a restricted key may not be allowed to list endpoints.
    const text = `could not be checked: the key may not list endpoints, or Stripe does not answer. It must be ${address}.`
    return [{ ok: true, warning: true, subject: SUBJECT, text }]
  }
}

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
  const migrations = await loadMigrationState(deps.config.databaseUrl)
  if (!migrations.current) {
    const text = `${migrations.applied} of ${migrations.total} migrations applied. Run \`playshelf migrate\`.`
    return [{ ok: false, subject: 'schema', text }]
  }
  const [queue, stale] = await Promise.all([loadQueueState(deps.db), countStaleSecrets(deps)])
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
  const id = await findInstallationId(deps.db)
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
