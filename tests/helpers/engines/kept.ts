import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Env } from './start-engines.ts'

/** The folder of engines that `bun run engines` keeps up between test runs. */
export const KEPT_DIR = join(import.meta.dir, '../../../.engines')
const RECORD = join(KEPT_DIR, 'running.json')

interface Kept {
  pid: number
  env: Record<string, string>
}

export async function recordEngines(env: Record<string, string>): Promise<void> {
  await mkdir(KEPT_DIR, { recursive: true })
  await Bun.write(RECORD, JSON.stringify({ pid: process.pid, env } satisfies Kept))
}

export async function forgetEngines(): Promise<void> {
  await rm(KEPT_DIR, { recursive: true, force: true })
}

/** The variables of the kept engines; none if they were not started or their process is gone. */
export async function readKeptEngines(): Promise<Env> {
  const record = Bun.file(RECORD)
  if (!(await record.exists())) return {}
  const { pid, env } = (await record.json()) as Kept
  try {
    process.kill(pid, 0)
    return env
  } catch {
    return {}
  }
}
