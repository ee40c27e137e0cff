import { dirname } from 'node:path'

import { findKeptPort } from '../helpers/processes/kept-port.ts'

export interface ServerProcess {
  pid: number
  url: string
  /** From the start of the process to its first successful response. */
  startMs: number
  /** Throws if the process ended early or with an error. */
  stop(): Promise<void>
}

export interface ServerOptions {
  command: readonly string[]
  /** Polled until it returns 2xx. */
  path: string
  env?: Record<string, string>
}

const START_LIMIT_MS = 30_000
const COMPLAINT_CHARACTERS = 2000
/** The exit code on SIGTERM of a program without a handler. */
const SIGTERM_EXIT = 143

/** Starts the program as in production: with a minimal environment and no terminal. */
export async function startServerProcess({ command, path, env = {} }: ServerOptions): Promise<ServerProcess> {
  const port = findKeptPort()
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const child = Bun.spawn([...command], {
    env: { ...bareEnvironment(), NODE_ENV: 'production', PORT: String(port), ...env },
    stdin: 'ignore',
    stdout: Bun.file('/dev/null'),
    stderr: 'pipe',
  })
  // Kills the server however the bench ends.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const complaints = child.stderr.text()
  const fail = async (what: string) => {
    kill()
    return new Error(`${command.join(' ')} ${what}\n${(await complaints).slice(-COMPLAINT_CHARACTERS)}`)
  }
  const stop = async () => {
    const ended = child.exitCode !== null
    child.kill('SIGTERM')
    const code = await child.exited
    process.off('exit', kill)
    if (ended || ![0, SIGTERM_EXIT].includes(code)) throw await fail(`ended by itself or badly (${code})`)
  }
  while (!(await isUp(url + path))) {
    if (child.exitCode !== null) throw await fail(`ended with ${child.exitCode}`)
    if (performance.now() - started > START_LIMIT_MS) throw await fail('never answered')
    await Bun.sleep(1)
  }
  return { pid: child.pid, url, startMs: performance.now() - started, stop }
}

export function bareEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR } = process.env
  return { PATH: `${dirname(process.execPath)}:${PATH}`, HOME, ...(TMPDIR && { TMPDIR }) }
}

async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { keepalive: false })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
