import { readCpuSeconds, readMemory } from '../helpers/processes/process-stats.ts'
import type { ServerProcess } from './environment.ts'
import { type LoadRequest, type LoadResult, sendLoad } from './load/load.ts'
import { median } from './report/line.ts'

export interface Round extends LoadResult {
  cpuSeconds: number
  requestsPerCpuSecond: number
}

export interface Side {
  requestsPerCpuSecond: number
  rounds: Round[]
  peakRssMb: number
}

export interface Comparison {
  subject: Side
  baseline: Side
  /** The median over the rounds of subject to baseline, in requests per CPU second of the server. */
  ratio: number
}

export interface Contender {
  server: ServerProcess
  request: LoadRequest
}

export interface Pace {
  warmUpSeconds: number
  seconds: number
  rounds: number
}

/** Alternates between the two, so that other load on the machine affects both equally. */
export async function compare(subject: Contender, baseline: Contender, pace: Pace): Promise<Comparison> {
  for (const side of [baseline, subject]) await sendLoad(side.request, pace.warmUpSeconds)
  const rounds: { subject: Round; baseline: Round }[] = []
  while (rounds.length < pace.rounds) {
    const first = await measure(baseline, pace.seconds)
    rounds.push({ baseline: first, subject: await measure(subject, pace.seconds) })
  }
  return {
    subject: await conclude(
      subject,
      rounds.map((round) => round.subject),
    ),
    baseline: await conclude(
      baseline,
      rounds.map((round) => round.baseline),
    ),
    ratio: median(
      rounds.map((round) => round.subject.requestsPerCpuSecond / round.baseline.requestsPerCpuSecond),
    ),
  }
}

async function measure({ server, request }: Contender, seconds: number): Promise<Round> {
  const before = await readCpuSeconds(server.pid)
  const result = await sendLoad(request, seconds)
  const cpuSeconds = (await readCpuSeconds(server.pid)) - before
  return { ...result, cpuSeconds, requestsPerCpuSecond: result.requests / cpuSeconds }
}

async function conclude({ server }: Contender, rounds: Round[]): Promise<Side> {
  return {
    requestsPerCpuSecond: median(rounds.map((round) => round.requestsPerCpuSecond)),
    rounds,
    peakRssMb: await readMemory(server.pid, 'VmHWM'),
  }
}
