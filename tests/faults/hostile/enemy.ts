import { connect } from 'node:net'

import { createRandom } from '../../../src/lib/random.ts'
import { type Attack, ATTACKS, makeAttack } from './attacks.ts'
import { type Flood, type FloodName, FLOODS } from './floods.ts'
import type { Target } from './target.ts'

export interface EnemyOptions {
  /** Requests that are all allowed, instead of attacks. */
  flood?: FloodName
  seconds: number
  connections: number
  seed: number
  /** A real enemy has machines of its own: where times are measured, it takes only CPU time that is left. */
  isNice: boolean
}

export interface EnemyReport {
  sent: number
  /** How often each kind of attack got an answer. */
  kinds: Record<string, number>
  statuses: Record<string, number>
  /** Server errors and connections that broke, a few of each. */
  faults: string[]
}

const FAULTS_SHOWN = 10
const SLOW_SENDERS = 8
const SLOW_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 30_000

export async function attack(target: Target, options: EnemyOptions): Promise<EnemyReport> {
  const report: EnemyReport = { sent: 0, kinds: {}, statuses: {}, faults: [] }
  const end = performance.now() + options.seconds * 1000
  if (options.flood) await flood(target, options.seed, FLOODS[options.flood], end, report)
  else await attackAtOnce(target, options, end, report)
  return report
}

/** As fast as the answers come, over many connections, beside a few that send their bytes one by one. */
async function attackAtOnce(
  target: Target,
  { connections, seed }: EnemyOptions,
  end: number,
  report: EnemyReport,
): Promise<void> {
  const kinds = Object.keys(ATTACKS)
  // Each at least once, however slow the machine is.
  const unused = [...kinds]
  const run = async (connection: number) => {
    const random = createRandom(seed + connection)
    while (performance.now() < end || unused.length > 0) {
      const kind = unused.pop() ?? random.pick(kinds)
      await send(target, kind, makeAttack(random, target, kind), report)
    }
  }
  const slow = Array.from({ length: SLOW_SENDERS }, () => [
    sendSlowly(target, end, slowImage(target)),
    sendSlowly(target, end, slowBuild(target)),
  ]).flat()
  await Promise.all([...Array.from({ length: connections }, (_, number) => run(number)), ...slow])
}

async function flood(
  target: Target,
  seed: number,
  { senders, pauseMs, make }: Flood,
  end: number,
  report: EnemyReport,
): Promise<void> {
  const run = async (sender: number) => {
    const random = createRandom(seed + sender)
    await Bun.sleep((pauseMs * sender) / senders)
    while (performance.now() < end) {
      const started = performance.now()
      await send(target, 'flood', make(random, target, sender), report)
      await Bun.sleep(Math.max(0, pauseMs - (performance.now() - started)))
    }
  }
  await Promise.all(Array.from({ length: senders }, (_, sender) => run(sender)))
}

async function send(target: Target, kind: string, sent: Attack, report: EnemyReport): Promise<void> {
  const { method, path, headers, body } = sent
  report.sent += 1
  try {
    const response = await fetch(target.url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    report.kinds[kind] = (report.kinds[kind] ?? 0) + 1
    report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1
    if (response.status >= 500 && !isAskedToWait(text))
      note(report, `${kind}: ${method} ${path.slice(0, 80)} → ${text.slice(0, 200)}`)
  } catch (error) {
    note(
      report,
      `${kind}: ${method} ${path.slice(0, 80)} → ${error instanceof Error ? error.message : 'failed'}`,
    )
  }
}

/** Of the enemy alone: honest visitors are counted beside it, and none of them may hear this. */
function isAskedToWait(text: string): boolean {
  return text.includes('The database is too busy to answer in time')
}

function note(report: EnemyReport, fault: string): void {
  if (report.faults.length < FAULTS_SHOWN) report.faults.push(fault)
}

/** Sends the head of a request, then its body byte by byte. */
async function sendSlowly({ url, enemy }: Target, end: number, head: readonly string[]): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  const [line = '', ...headers] = head
  socket.write(
    [
      line,
      `Host: ${host}`,
      `X-Forwarded-For: ${enemy.address}`,
      ...headers,
      `Content-Length: ${SLOW_BYTES}`,
      'Content-Type: multipart/form-data; boundary=x',
      '',
      '',
      '--x',
      'Content-Disposition: form-data; name="file"; filename="a.zip"',
      '',
      '',
    ].join('\r\n'),
  )
  while (performance.now() < end && !socket.destroyed) {
    socket.write('x')
    await Bun.sleep(200)
  }
  socket.destroy()
}

function slowImage({ url, enemy }: Target): string[] {
  return [
    `PUT /api/v1/private/games/${enemy.gameUid}/images/cover HTTP/1.1`,
    `Cookie: ${enemy.cookie}`,
    `Origin: ${url}`,
  ]
}

function slowBuild({ enemy }: Target): string[] {
  return [
    'POST /api/v1/tool/upload/files HTTP/1.1',
    ...Object.entries(enemy.deployKey).map(([name, value]) => `${name}: ${value}`),
  ]
}
