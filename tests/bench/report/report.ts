import { mkdir } from 'node:fs/promises'
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'

import { version as elysia } from 'elysia/package.json'

import { VERSION } from '../../../src/lib/version.ts'
import type { Pace } from '../compare.ts'
import type { Line } from './line.ts'

export interface Report {
  date: string
  versions: Record<string, string>
  machine: Machine
  pace: Pace
  lines: Line[]
  /** Scenarios that could not be measured, and why. */
  broken: { scenario: string; reason: string }[]
}

export interface Machine {
  cores: number
  cpu: string
  memoryGb: number
  system: string
  /** The load of the machine before the first scenario. */
  load: number
}

const RESULTS = join(import.meta.dir, '../results')

export function startReport(pace: Pace): Report {
  return {
    date: new Date().toISOString(),
    versions: { playshelf: VERSION, bun: Bun.version, elysia },
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      memoryGb: Math.round(totalmem() / 1024 ** 3),
      system: `${platform()} ${arch()} ${release()}`,
      load: loadavg()[0] ?? 0,
    },
    pace,
    lines: [],
    broken: [],
  }
}

export async function saveReport(report: Report): Promise<string> {
  await mkdir(RESULTS, { recursive: true })
  const path = join(RESULTS, `${report.date.replaceAll(/[:.]/g, '-')}.json`)
  await Bun.write(path, `${JSON.stringify(report, null, 2)}\n`)
  return path
}
