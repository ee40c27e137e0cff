import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { waitFor } from '../wait.ts'
import { startOf } from './binaries.ts'

const ROOT = join(import.meta.dir, '../../..')

export interface ChildServer {
  url: string
  port: number
  pid: number
  /** Everything printed so far. */
  output(): string
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void
  /** The exit code, once the process has ended. */
  exited: Promise<number>
}

export interface ChildOptions {
  /** Another program than the one under test. */
  command?: readonly string[]
  /** Of the program; `serve` otherwise. */
  args?: readonly string[]
  cwd?: string
  env: Record<string, string>
}

/** Starts the program in its own process, as an operator would. */
export async function startChild({
  command,
  args = ['serve'],
  cwd,
  env,
}: ChildOptions): Promise<ChildServer> {
  const program = command ? { command: [...command], env } : startOf(args, env)
  const child = Bun.spawn(program.command, {
    cwd: cwd ?? ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', ...program.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let text = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr)])

  const url = await waitFor('the server is ready', async () => {
    if (child.exitCode !== null) {
      await ended
      throw new Error(`The server ended with ${child.exitCode}:\n${text}`)
    }
    return /"message":"Playshelf is ready","url":"([^"]+)"/.exec(text)?.[1]
  })
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    output: () => text,
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  }
}

export async function createTempDir(name: string): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `playshelf-${name}-`))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

const FIRST = 20_000
const COUNT = 12_000

/**
 * A free port below those that systems hand out, so that no other process gets it before or between starts of
 * its server.
 */
export function findKeptPort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
      return port
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}
