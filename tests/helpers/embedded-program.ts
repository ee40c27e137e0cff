import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

export interface RunningProgram extends AsyncDisposable {
  url: string
  /** Of the embedded Postgres. */
  databaseUrl: string
}

/** `playshelf up` in a process of its own, on nothing but a folder. */
export async function startProgram(dataDir: string): Promise<RunningProgram> {
  const child = spawn(['up'], dataDir)
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  let printed = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += chunk
    const url = /runs at (\S+)/.exec(printed)?.[1]
    if (url) return { url, databaseUrl: await readDatabaseUrl(dataDir), [Symbol.asyncDispose]: stop }
  }
  throw new Error(`The program ended: ${printed}${await child.stderr.text()}`)
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

function spawn(options: string[], dataDir: string, env: Record<string, string> = {}) {
  return Bun.spawn(['bun', 'src/main.ts', ...options], {
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
