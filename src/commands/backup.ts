import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'

import { retainDeleted } from '../clients/objects/folder/folder-files.ts'
import { type ParsedConfig, readOrCreateSecretKey, writeSecretKey } from '../config/config.ts'
import { openEmbeddedPostgres } from '../db/embedded/embedded.ts'
import { noteBackup, noteRestore } from '../features/storage/backup-notes.ts'
import { formatBytes } from '../lib/text/show.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { packBackup, unpackBackup } from './backup-archive.ts'
import {
  type ArchiveSigner,
  type BackupKeys,
  createArchiveSigner,
  createManifest,
  type Manifest,
  type Part,
  PARTS,
  readSigned,
} from './backup-manifest.ts'
import { type CommandContext, embeddedFolder, releaseEmbedded } from './context.ts'

const REPORT_EVERY_MS = 3000

/** The first Ctrl-C aborts the work, which cleans up after itself; the second one ends the process. */
async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(new Error('Interrupted. No incomplete files were left behind.'))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Passes the bytes through, prints progress regularly, and stops when aborted. */
async function* reportProgress(
  bytes: AsyncIterable<Uint8Array>,
  doing: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let done = 0
  const timer = setInterval(() => console.log(`${doing}: ${formatBytes(done)} so far`), REPORT_EVERY_MS)
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      done += chunk.length
      yield chunk
    }
  } finally {
    clearInterval(timer)
  }
}

export interface RestoreOptions {
  /** A file with the SECRET_KEY of the store; without it, the environment has it. */
  keyFile?: string
  /** Accepts an archive without checking that nobody changed it. */
  isUnverified?: boolean
}

const WITHOUT_KEY =
  'Start it with the SECRET_KEY of that store. Under a new key nobody is signed in, and encrypted settings (keys of games and web hooks) must be entered again.'

/** Writes the data of the embedded services to one compressed archive; works while the server runs. */
export async function backup({ parsed }: CommandContext, file: string | undefined): Promise<string> {
  const target = requireFile(file, 'backup')
  requireEmbedded(parsed)
  const folder = embeddedFolder(parsed)
  if (!(await unlessMissing(stat(join(folder, 'data/PG_VERSION'))))) {
    throw new Error(`There is no embedded database in ${parsed.dataDir}. Check DATA_DIR.`)
  }
  if (await unlessMissing(stat(target))) throw new Error(`${target} already exists. Choose another name.`)

  const secretKey = parsed.secretKey ?? (await readOrCreateSecretKey(parsed.dataDir))
  const trees = findTrees(parsed)
  const manifest = await createManifest(PARTS.filter((part) => part === 'postgres' || part in trees))
  await using cleanup = new AsyncDisposableStack()
  if (trees.objects) cleanup.use(await retainDeleted(trees.objects))
  const embedded = await openEmbeddedPostgres(folder)
  cleanup.defer(() => releaseEmbedded(parsed, embedded))
  const sources = { databaseUrl: embedded.url, passwordFile: join(folder, 'password'), trees }
  await interruptible((signal) => {
    const bytes = reportProgress(packBackup(sources, manifest), 'Backing up', signal)
    return writeArchive(target, bytes, createArchiveSigner(secretKey))
  })
  await noteBackup(parsed.dataDir)
  const { size } = await stat(target)
  const text = `Backed up to ${target} (${formatBytes(size)}).`
  return [text, describeKey(parsed), ...describeMissing(manifest)].join(' ')
}

/** Restores an archive. After a failure DATA_DIR is as empty as before. */
export async function restore(
  { parsed }: CommandContext,
  file: string | undefined,
  options: RestoreOptions = {},
): Promise<string> {
  const archive = requireFile(file, 'restore')
  requireEmbedded(parsed)
  const { dataDir } = parsed
  if (!(await unlessMissing(stat(archive)))?.isFile()) throw new Error(`There is no file ${archive}.`)
  const found = (await unlessMissing(readdir(dataDir))) ?? []
  if (found.some((name) => name !== 'lost+found')) {
    throw new Error(`${dataDir} is not empty. Restore into an empty or new DATA_DIR.`)
  }
  const keys = await readKeys(parsed, options)
  if (keys) await verify(archive, keys)
  // Inside DATA_DIR, because that may be a mount point, and a rename cannot cross file systems.
  const made = await mkdir(dataDir, { recursive: true })
  const draft = await mkdtemp(join(dataDir, '.restoring-'))
  const moved: string[] = []
  try {
    const manifest = await interruptible((signal) =>
      unpackBackup(reportProgress(decompress(archive, keys), 'Restoring', signal), draft),
    )
    // The database goes last: an installation counts as restored only when it is there.
    for (const part of PARTS.filter((name) => manifest.holds.includes(name)).reverse()) {
      await unlessMissing(rename(join(draft, part), join(dataDir, part)))
      moved.push(join(dataDir, part))
    }
    await rmdir(draft)
    if (keys && parsed.secretKey === null) moved.push(await writeSecretKey(dataDir, keys.secretKey))
    await noteRestore(dataDir, new Date())
    const text = `Restored the backup of ${manifest.created_at} to ${dataDir}.`
    const lost = keys || manifest.holds.includes('secret-key') ? [] : [WITHOUT_KEY]
    return [text, ...lost, ...describeMissing(manifest), ...describeOtherFolder(parsed)].join(' ')
  } catch (error) {
    for (const path of [draft, ...moved]) await rm(path, { recursive: true, force: true })
    if (made !== undefined) await removeEmpty(dataDir, made)
    throw error
  }
}

function requireFile(file: string | undefined, command: string): string {
  if (!file) throw new Error(`Name the archive: playshelf ${command} <file>`)
  return resolve(file)
}

function requireEmbedded(parsed: ParsedConfig): void {
  if (parsed.databaseUrl === null) return
  throw new Error(
    'DATABASE_URL is set, but this command is for the embedded database. Use pg_dump and pg_restore for Postgres, and the tools of your object store for its objects.',
  )
}

/** Folders of the parts beside the database. A bucket is not in the archive. */
function findTrees(parsed: ParsedConfig): Partial<Record<Part, string>> {
  return {
    mail: parsed.mail.folder,
    ...(parsed.storage.kind === 'folder' && { objects: parsed.storage.path }),
  }
}

async function readKeys(parsed: ParsedConfig, options: RestoreOptions): Promise<BackupKeys | null> {
  if (options.isUnverified) {
    if (options.keyFile === undefined) return null
    throw new Error('Use --key-file or --unverified, not both.')
  }
  const given = options.keyFile === undefined ? parsed.secretKey : await readKeyFile(options.keyFile)
  if (given !== null) return { secretKey: given, previous: parsed.secretKeyPrevious }
  throw new Error(
    'A backup is restored with the key of its store: set SECRET_KEY, or name a copy of its file secret-key with --key-file <file>. Without the key, and only if you know that nobody could change the archive, add --unverified.',
  )
}

async function readKeyFile(path: string): Promise<string> {
  const text = await unlessMissing(readFile(path, 'utf8'))
  if (text === null) throw new Error(`There is no file ${path}.`)
  return text.trim()
}

function describeKey(parsed: ParsedConfig): string {
  const source = parsed.secretKey === null ? join(parsed.dataDir, 'secret-key') : 'SECRET_KEY'
  return `It can be restored only with the key of this store, which is not in it: keep a copy of ${source} elsewhere.`
}

function describeMissing({ holds }: Manifest): string[] {
  if (holds.includes('objects')) return []
  return ['It does not contain objects: back up the object store with its own tools.']
}

function describeOtherFolder({ dataDir, storage }: ParsedConfig): string[] {
  const folder = join(dataDir, 'objects')
  if (storage.kind === 'folder' && storage.path === folder) return []
  return [`STORAGE_URL points elsewhere: copy the objects there from ${folder}.`]
}

/** Writes under a temporary name until complete. A restore checks the checksum at the end. */
async function writeArchive(
  target: string,
  bytes: AsyncIterable<Uint8Array>,
  signer: ArchiveSigner,
): Promise<void> {
  const part = `${target}.part`
  const file = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    throw new Error(
      `${part} cannot be created. Check that its folder exists and that no other backup is running.`,
      {
        cause,
      },
    )
  })
  try {
    const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await pipeline(bytes, zstd, async (packed: AsyncIterable<Uint8Array>) => {
      for await (const chunk of packed) {
        signer.update(chunk)
        await file.appendFile(chunk)
      }
    })
    await file.appendFile(signer.finish())
    await file.sync()
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** The whole archive is authenticated before anything in it is read. */
async function verify(archive: string, keys: BackupKeys): Promise<void> {
  await interruptible(async (signal) => {
    const bytes = reportProgress(readSigned(Bun.file(archive), keys), 'Checking', signal)
    while (!(await bytes.next()).done) continue
  })
}

async function* decompress(path: string, keys: BackupKeys | null): AsyncGenerator<Uint8Array> {
  // The signature is checked again: the file may have been exchanged meanwhile.
  const packed = readSigned(Bun.file(path), keys)
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await packed.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  try {
    // Unlike zlib's, this stream reports a truncated archive.
    yield* source.pipeThrough(new DecompressionStream('zstd'))
  } catch (cause) {
    throw new Error(`${path} is damaged, truncated or not a backup. Nothing was restored.`, { cause })
  }
}

async function removeEmpty(from: string, last: string): Promise<void> {
  for (let path = from; path.startsWith(last); path = dirname(path)) await rmdir(path).catch(() => undefined)
}
