import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { startOf } from './binaries.ts'
import { findKeptPort } from './child.ts'

const ROOT = join(import.meta.dir, '../../..')

export interface RunningProgram extends AsyncDisposable {
  url: string
  /** The address of the embedded Postgres. */
  databaseUrl: string
}

/** Starts `playshelf serve` in its own process with only a data folder. */
export async function startProgram(dataDir: string): Promise<RunningProgram> {
  const port = findKeptPort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(['serve'], dataDir, { PORT: String(port) })
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`The program ended: ${await child.stderr.text()}`)
    await Bun.sleep(20)
  }
  return {
    url,
    databaseUrl: await readDatabaseUrl(dataDir),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/ready`).then(
    (answer) => answer.ok,
    () => false,
  )
}

export interface FinishedProgram {
  code: number
  text: string
}

export async function runProgram(
  dataDir: string,
  options: string[],
  env: Record<string, string> = {},
): Promise<FinishedProgram> {
  const child = spawn(options, dataDir, env)
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, text: out + errors }
}

function spawn(options: string[], dataDir: string, settings: Record<string, string> = {}) {
  const { command, env } = startOf(options, settings)
  return Bun.spawn(command, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

async function readDatabaseUrl(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'postgres')
  const password = await readFile(join(folder, 'password'), 'utf8')
  const port = (await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')[3]
  return `postgres://playshelf:${password}@127.0.0.1:${port}/playshelf`
}
