import { ageLocks } from '../jobs.ts'
import { asPerson, type Person } from '../people.ts'
import { type ChildServer, findKeptPort, startChild } from '../processes/child.ts'
import { TEST_SECRET_KEY } from '../server.ts'
import { connect, enableDeveloper, type Shop, signUpBuyer, startShop } from './selling.ts'

/** A store in its own process that can be killed, beside one in this process that prepares and inspects. */
export interface KilledShop extends Shop {
  url: string
  /** Ends the process at once, as a power cut does, and starts another. */
  crash(): Promise<void>
  kill(): void
  start(): Promise<void>
  /** The same person, at the store that is killed. */
  at(person: Person): Person
  signUpSeller(): Promise<Person>
}

/** Makes retries and the refunds of interrupted requests due at once, so that no test waits for them. */
export async function makeJobsDue({ server }: Shop): Promise<void> {
  await server.deps.db.execute(
    'update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null',
  )
}

export async function startKilledShop(): Promise<KilledShop> {
  const shop = await startShop({ ROLE: 'api' })
  const port = findKeptPort()
  const url = `http://127.0.0.1:${port}`
  shop.stripe.sendTo(url)
  let child: ChildServer | null = null

  async function start(): Promise<void> {
    await child?.exited
    await ageLocks(shop.server)
    await makeJobsDue(shop)
    child = await startChild({
      env: {
        PORT: String(port),
        BASE_URL: url,
        DATABASE_URL: shop.server.databaseUrl,
        DATA_DIR: shop.server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        STORAGE_RESERVE: '0',
        TRUST_PROXY: '1',
        LOG_LEVEL: 'info',
        ...shop.stripe.env,
      },
    })
  }
  const kill = () => child?.kill('SIGKILL')
  await start()
  const reachable = { url, fetch: (path: string, init?: RequestInit) => fetch(url + path, init) }
  return {
    ...shop,
    url,
    start,
    kill,
    async crash() {
      kill()
      await start()
    },
    at: (person) => asPerson(reachable, person),
    async signUpSeller() {
      const seller = await signUpBuyer(shop)
      await enableDeveloper(shop.server, seller)
      await connect(shop, seller)
      return seller
    },
    async stop() {
      kill()
      await child?.exited
      await shop.stop()
    },
  }
}
