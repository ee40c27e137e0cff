import { readEngineUrl } from '../../helpers/database.ts'
import { type Balancer, startHaproxy } from '../../helpers/engines/haproxy.ts'
import { type ChildServer, createTempDir, findKeptPort, startChild } from '../../helpers/processes/child.ts'
import {
  type ReachableServer,
  startTestServer,
  TEST_SECRET_KEY,
  type TestServer,
} from '../../helpers/server.ts'
import { createBucket } from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'

export const MEMBERS = ['api1', 'api2', 'upload1', 'upload2', 'worker'] as const
export type MemberName = (typeof MEMBERS)[number]

/** Seconds that a stopping process serves on: several of the balancer's checks. */
const STOP_DELAY = 3

/** The process may have taken requests until it was gone. */
export interface Crash {
  killedAt: number
  goneAt: number
}

/** The processes of one installation on Postgres, Ceph and Redis, behind the balancer. */
export interface Fleet extends AsyncDisposable {
  /** Another process on the same services, to prepare and inspect data. */
  server: TestServer
  /** Everything through the balancer. */
  front: ReachableServer
  /** One process directly, as if the balancer had chosen it. */
  at(name: MemberName): ReachableServer
  version(name: MemberName): Promise<string>
  /** Ends the process at once. */
  crash(name: MemberName): Promise<Crash>
  /** Lets the process finish its requests. Resolves with its exit code. */
  stop(name: MemberName): Promise<number>
  /** Starts the process and waits until the balancer uses it. */
  start(name: MemberName, command?: readonly string[]): Promise<void>
}

export async function startFleet(): Promise<Fleet> {
  const cleanup = new AsyncDisposableStack()
  const dir = await createTempDir('fleet')
  cleanup.defer(() => dir.remove())
  const bucket = await createBucket()
  cleanup.defer(() => bucket.remove())
  const [front, ...ports] = [findKeptPort(), ...MEMBERS.map(findKeptPort)]
  const portOf = (name: MemberName) => ports[MEMBERS.indexOf(name)] ?? 0
  const url = `http://127.0.0.1:${front}`
  const shared = {
    ...bucket.env,
    BASE_URL: url,
    REDIS_URL: readEngineUrl('TEST_REDIS_URL'),
    // The balancer, and the test, which claims to be a proxy with many clients.
    TRUST_PROXY: '2',
  }
  const server = await startTestServer(shared)
  cleanup.defer(() => server.stop())
  const balancer = await startHaproxy(dir.path, {
    LISTEN: `127.0.0.1:${front}`,
    ...Object.fromEntries(
      MEMBERS.map((name) => [name.replace(/\d/, '_$&').toUpperCase(), `127.0.0.1:${portOf(name)}`]),
    ),
  })
  cleanup.use(balancer)

  const children = new Map<MemberName, ChildServer>()
  cleanup.defer(async () => {
    for (const child of children.values()) child.kill('SIGKILL')
    await Promise.all([...children.values()].map(({ exited }) => exited))
  })
  const env = {
    ...shared,
    DATABASE_URL: server.databaseUrl,
    DATA_DIR: server.dataDir,
    SECRET_KEY: TEST_SECRET_KEY,
    STOP_DELAY: String(STOP_DELAY),
    LOG_LEVEL: 'info',
  }

  async function start(name: MemberName, command?: readonly string[]): Promise<void> {
    const own = { ROLE: name.replace(/\d/, ''), PORT: String(portOf(name)) }
    children.set(name, await startChild({ env: { ...env, ...own }, ...(command && { command }) }))
    await waitUntilUsed(balancer, name)
  }

  async function end(name: MemberName, signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const child = children.get(name)
    if (!child) throw new Error(`${name} does not run`)
    children.delete(name)
    child.kill(signal)
    return await child.exited
  }

  const at = (address: string): ReachableServer => ({
    url,
    fetch: (path, init) => fetch(address + path, { redirect: 'manual', ...init }),
  })
  const atMember = (name: MemberName) => at(`http://127.0.0.1:${portOf(name)}`)
  try {
    for (const name of MEMBERS) await start(name)
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
  return {
    server,
    front: at(url),
    at: atMember,
    async version(name) {
      const answer = await atMember(name).fetch('/health')
      return ((await answer.json()) as { data: { version: string } }).data.version
    },
    async crash(name) {
      const killedAt = performance.now()
      await end(name, 'SIGKILL')
      return { killedAt, goneAt: performance.now() }
    },
    stop: (name) => end(name, 'SIGTERM'),
    start,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}

async function waitUntilUsed(balancer: Balancer, name: MemberName): Promise<void> {
  if (name === 'worker') return
  await waitFor(`the balancer uses ${name}`, () => balancer.isUp(name))
}
