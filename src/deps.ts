import type { ExtStore } from './clients/extstore/client.ts'
import { openExtStore } from './clients/extstore/open.ts'
import { type Mailer } from './clients/mail/mail.ts'
import type { ObjectStore } from './clients/objects/object-store.ts'
import { openObjectStore } from './clients/objects/open-object-store.ts'
import { checkOwner } from './clients/objects/storage-owner.ts'
import type { Probe } from './clients/probe.ts'
import { countDaysIn, createMemoryRateStore, type RateStore } from './clients/rate-store/rate-store.ts'
import { openRedisRateStore } from './clients/rate-store/redis.ts'
import { openScanner } from './clients/scanner/open-scanner.ts'
import type { Scanner } from './clients/scanner/scanner.ts'
import { checkMeilisearch } from './clients/search/meilisearch/check.ts'
import { checkSearchLag } from './clients/search/search-lag.ts'
import { openPayments } from './clients/stripe/open-payments.ts'
import type { Payments } from './clients/stripe/payments.ts'
import type { Config } from './config/config.ts'
import { type Database, type DatabaseHandle, openDatabase, type PoolTimes } from './db/client.ts'
import { checkHeldSweep } from './db/installation.ts'
import { createPublicReads, type PublicReads, Replica } from './db/replica/replica.ts'
import { createKeyring, type Keyring } from './lib/keyring.ts'
import type { Logger } from './lib/log.ts'
import { formatBytes } from './lib/text/show.ts'

/** Every external service, created once and disposed once. */
export interface Deps {
  config: Config
  log: Logger
  database: DatabaseHandle
  /** The primary; in work that is passed to `reads`, the database it chose. */
  db: Database
  /** null without DATABASE_READ_URL. */
  replica: Replica | null
  /** Decides for each read of public data which database serves it. */
  reads: PublicReads<Deps>
  keyring: Keyring
  objects: ObjectStore
  rates: RateStore
  scanner: Scanner
  extStore: ExtStore
  /** null without STRIPE_SECRET_KEY. */
  payments: Payments | null
  /** Opened on first use. */
  mailer: () => Promise<Mailer>
  probes: readonly Probe[]
  /** Registers work that runs before the services are closed. */
  onDispose(work: () => Promise<void>): void
  dispose(): Promise<void>
}

export async function createDeps(config: Config, log: Logger, times: PoolTimes = {}): Promise<Deps> {
  const replica = openReplica(config, log)
  const database = openDatabase(config.databaseUrl, {
    prepare: config.databasePrepare,
    times,
    onChange: () => replica?.noteChange(),
  })
  const keyring = createKeyring(config.secretKey, config.secretKeyPrevious)
  const [signing = '', ...previous] = keyring.derive('object links')
  const objects = await openObjectStore(config.storage, {
    baseUrl: config.baseUrl,
    linkKeys: { signing, previous },
    reserve: config.storageReserve,
  })
  const counters = config.redisUrl ? openRedisRateStore(config.redisUrl, log) : createMemoryRateStore()
  const rates = countDaysIn(database.db, counters)
  const scanner = openScanner(config.scanner, config.dataDir, log)
  let mailer: Promise<Mailer> | undefined
  const openMailerOnce = () =>
    (mailer ??= import('./clients/mail/open-mailer.ts').then(({ openMailer }) =>
      openMailer(config.mail, log),
    ))
  const payments = config.payments && openPayments(config.payments)
  const leaving = new AsyncDisposableStack()

  const deps: Deps = {
    config,
    log,
    database,
    db: database.db,
    replica,
    reads: createPublicReads((db) => ({ ...deps, db }), database, replica),
    keyring,
    objects,
    rates,
    scanner,
    extStore: openExtStore(config.extstore),
    payments,
    mailer: openMailerOnce,
    probes: createProbes(config, {
      database,
      replica,
      objects,
      rates,
      scanner,
      payments,
      mailer: openMailerOnce,
    }),
    onDispose: (work) => leaving.defer(work),
    async dispose() {
      await leaving.disposeAsync()
      await Promise.all([
        database.dispose(),
        replica?.dispose(),
        objects.dispose(),
        rates.dispose(),
        scanner.dispose(),
        mailer?.then((open) => open.dispose()),
      ])
    },
  }
  return deps
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

/** Only for the roles that serve public reads. */
function openReplica(config: Config, log: Logger): Replica | null {
  const { databaseReadUrl: url, databaseUrl: primaryUrl, databasePrepare: prepare, role } = config
  if (url === null || (role !== 'all' && role !== 'api')) return null
  return new Replica({ url, primaryUrl, prepare, log })
}

function createDiskProbe({ storageReserve }: Config, objects: ObjectStore, folder: string): Probe {
  return {
    name: 'disk',
    using: 'folder',
    required: true,
    advice: `Uploads are refused until ${formatBytes(storageReserve)} (STORAGE_RESERVE) are free on the disk of ${folder}; everything else goes on.`,
    // The operator needs the figures that the answer to an upload leaves out.
    check: () => objects.requireRoom(0).catch((error: unknown) => Promise.reject(causeOf(error))),
  }
}

function createProbes(
  config: Config,
  services: Pick<Deps, 'database' | 'replica' | 'objects' | 'rates' | 'scanner' | 'payments' | 'mailer'>,
): readonly Probe[] {
  const probes: Probe[] = [
    {
      name: 'database',
      using: 'postgres',
      required: true,
      advice: 'Is Postgres running, and do host, user and password in DATABASE_URL fit it?',
      check: () => services.database.check(),
    },
    {
      name: 'storage',
      using: config.storage.kind,
      required: true,
      advice:
        config.storage.kind === 's3'
          ? 'Check the endpoint and bucket in STORAGE_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the bucket must exist.'
          : `Can this user write to ${config.storage.path}, and is there room on the disk?`,
      async check() {
        await services.objects.check()
        await checkOwner({ db: services.database.db, objects: services.objects })
      },
    },
    ...(config.storage.kind === 'folder'
      ? [createDiskProbe(config, services.objects, config.storage.path)]
      : []),
    {
      name: 'clean-up',
      using: config.storage.kind,
      required: false,
      advice:
        'Is the database complete? `playshelf sweep` lists these objects, `playshelf sweep --confirm` removes them.',
      check: () => checkHeldSweep(services.database.db),
    },
    {
      name: 'mail',
      using: config.mail.smtpUrl ? 'smtp' : 'folder',
      required: false,
      advice: config.mail.smtpUrl
        ? 'Check host, port, user and password in SMTP_URL; mails wait in the queue until it answers.'
        : `Can this user write to ${config.mail.folder}?`,
      check: async () => (await services.mailer()).check(),
    },
  ]
  const { replica } = services
  if (replica) {
    probes.push({
      name: 'replica',
      using: 'postgres',
      required: false,
      advice:
        'Does DATABASE_READ_URL lead to one running streaming replica of DATABASE_URL? Until then the primary serves all reads.',
      check: () => replica.check(),
    })
  }
  const meili = config.meili
  probes.push({
    name: 'search',
    using: meili ? 'meilisearch' : 'postgres',
    required: false,
    advice: meili
      ? 'Is Meilisearch running at MEILI_URL, and is MEILI_KEY its key? Until then Postgres answers searches.'
      : 'Does a process with ROLE=all or ROLE=worker run? Until then searches do not find the newest changes.',
    async check() {
      if (meili) await checkMeilisearch(meili.url, meili.key)
      await checkSearchLag(services.database.db, meili ? 'meilisearch' : 'postgres')
    },
  })
  if (config.scanner.kind !== 'builtin') {
    probes.push({
      name: 'scanner',
      using: 'clamd',
      required: false,
      advice:
        'Is clamd running at SCANNER_URL? It needs a minute after its start; uploads wait as "scanning".',
      check: () => services.scanner.check(),
    })
  }
  if (config.redisUrl) {
    probes.push({
      name: 'rate limits',
      using: 'redis',
      required: false,
      advice: 'Is Redis running at REDIS_URL? Until then each process counts its own requests.',
      check: () => services.rates.check(),
    })
  }
  const { payments } = services
  if (payments) {
    probes.push({
      name: 'payments',
      using: `stripe, ${payments.mode} mode`,
      required: false,
      advice:
        'Is STRIPE_SECRET_KEY a key of your account, and can this machine reach api.stripe.com? Until then nothing can be bought.',
      check: () => payments.check(),
    })
  }
  return probes
}
