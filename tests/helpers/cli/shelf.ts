import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { shareBinaries } from '../processes/binaries.ts'
import { type ChildServer, createTempDir, findKeptPort, startChild } from '../processes/child.ts'
import { startTcpProxy, type TcpProxy } from '../processes/tcp-proxy.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../server.ts'
import { createPipeline, type Pipeline } from '../uploads/uploads.ts'

/** A store in its own process that tests can kill, with a folder for a developer who uploads to it. */
export interface ShelfWorld {
  server: TestServer
  /** A new game with its deploy key. */
  createGame(): Promise<Pipeline>
  /** The address of the process; the same after a restart. */
  url: string
  /** In front of UPLOAD_URL, to cut the line. */
  proxy: TcpProxy
  /** The cache folder of the uploader. */
  cache: string
  killStore(): Promise<void>
  startStore(): Promise<void>
  /** A new empty folder. */
  folder(name: string): Promise<string>
  /** Runs the compiled uploader with the key of the game. */
  shelf(pipeline: Pipeline, args: readonly string[], options?: ShelfOptions): ShelfProcess
  stop(): Promise<void>
}

export interface ShelfOptions {
  cwd?: string
  env?: Record<string, string>
  stdin?: string
}

export interface ShelfResult {
  code: number
  out: string
  err: string
}

export interface ShelfProcess {
  pid: number
  kill(signal: 'SIGKILL' | 'SIGINT'): void
  /** What was printed on standard error so far. */
  notes(): string
  result: Promise<ShelfResult>
}

export interface PushedBuild {
  build_id: string
  file_uid: string
  checksum: string
  size: number
  sent_bytes: number
  skipped: boolean
  scan: string
}

export async function startShelfWorld(env: Record<string, string> = {}): Promise<ShelfWorld> {
  const dir = await createTempDir('shelf')
  const { store, uploader } = await shareBinaries()
  const server = await startTestServer({ TRUST_PROXY: '1', ...env })
  const port = findKeptPort()
  const url = `http://127.0.0.1:${port}`
  const proxy = await startTcpProxy({ host: '127.0.0.1', port })
  const cache = join(dir.path, 'cache')
  let child: ChildServer

  async function startStore(): Promise<void> {
    child = await startChild({
      command: [store, 'serve'],
      env: {
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        PORT: String(port),
        BASE_URL: url,
        UPLOAD_URL: `http://127.0.0.1:${proxy.port}`,
        LOG_LEVEL: 'info',
        ...env,
      },
    })
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    child.kill(signal)
    await child.exited
  }

  await startStore()
  return {
    server,
    url,
    createGame: () => createPipeline(server),
    proxy,
    cache,
    killStore: () => end('SIGKILL'),
    startStore,
    async folder(name) {
      const path = join(dir.path, `${name}-${crypto.randomUUID().slice(0, 8)}`)
      await mkdir(path)
      return path
    },
    shelf: ({ key }, args, options = {}) =>
      runShelf(uploader, args, options.cwd ?? dir.path, options.stdin, {
        PATH: process.env['PATH'] ?? '',
        HOME: dir.path,
        XDG_CACHE_HOME: cache,
        XDG_CONFIG_HOME: join(dir.path, 'config'),
        SHELF_SERVER: url,
        SHELF_ACCESS_TOKEN: key['x-access-token'],
        SHELF_SECRET_KEY: key['x-secret-key'],
        ...options.env,
      }),
    async stop() {
      await end('SIGTERM')
      await proxy[Symbol.asyncDispose]()
      await server.stop()
      await dir.remove()
    },
  }
}

function runShelf(
  binary: string,
  args: readonly string[],
  cwd: string,
  stdin: string | undefined,
  env: Record<string, string>,
): ShelfProcess {
  const child = Bun.spawn([binary, ...args], {
    cwd,
    env,
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let err = ''
  async function readNotes(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of child.stderr) err += decoder.decode(bytes, { stream: true })
  }
  async function finish(): Promise<ShelfResult> {
    const [out, , code] = await Promise.all([child.stdout.text(), readNotes(), child.exited])
    return { code, out, err }
  }
  return { pid: child.pid, kill: (signal) => child.kill(signal), notes: () => err, result: finish() }
}

/** The builds of a successful push with `--json`; throws with its output otherwise. */
export async function readPush(process: ShelfProcess): Promise<PushedBuild[]> {
  const { code, out, err } = await process.result
  if (code !== 0) throw new Error(`shelf ended with ${code}:\n${out}${err}`)
  const { builds }: { builds: PushedBuild[] } = JSON.parse(out)
  return builds
}

/** Random bytes in files of the given sizes, which no packing makes smaller. */
export async function writeRandomFiles(folder: string, sizes: Record<string, number>): Promise<void> {
  for (const [name, size] of Object.entries(sizes)) {
    const writer = Bun.file(join(folder, name)).writer()
    for (let left = size; left > 0; left -= 65_536) {
      void writer.write(crypto.getRandomValues(new Uint8Array(Math.min(left, 65_536))))
      await writer.flush()
    }
    await writer.end()
  }
}
