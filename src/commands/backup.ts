import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'

import type { ParsedConfig } from '../config.ts'
import { openEmbeddedPostgres } from '../db/embedded.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { createManifest, type Manifest, type Part, PARTS } from './backup-manifest.ts'
import { packBackup } from './backup-pack.ts'
import { formatBytes, interruptible, reportProgress } from './backup-progress.ts'
import { unpackBackup } from './backup-unpack.ts'
import { type CommandContext, embeddedFolder, releaseEmbedded } from './context.ts'

/** Writes the data of the embedded services to one compressed archive; works while the server runs. */
export async function backup({ parsed }: CommandContext, file: string | undefined): Promise<string> {
  const target = requireFile(file, 'backup')
  requireEmbedded(parsed)
  const folder = embeddedFolder(parsed)
  if (!(await unlessMissing(stat(join(folder, 'data/PG_VERSION'))))) {
    throw new Error(`There is no embedded database in ${parsed.dataDir}. Check DATA_DIR.`)
  }
  if (await unlessMissing(stat(target))) throw new Error(`${target} already exists. Choose another name.`)

  const trees = await findTrees(parsed)
  const manifest = await createManifest(PARTS.filter((part) => part === 'postgres' || part in trees))
  const embedded = await openEmbeddedPostgres(folder)
  try {
    const sources = { databaseUrl: embedded.url, passwordFile: join(folder, 'password'), trees }
    await interruptible((signal) =>
      writeArchive(target, reportProgress(packBackup(sources, manifest), 'Backing up', signal)),
    )
  } finally {
    await releaseEmbedded(parsed, embedded)
  }
  const { size } = await stat(target)
  return [`Backed up to ${target} (${formatBytes(size)}).`, ...describeMissing(manifest)].join(' ')
}

/** Restores an archive. After a failure DATA_DIR is as empty as before. */
export async function restore({ parsed }: CommandContext, file: string | undefined): Promise<string> {
  const archive = requireFile(file, 'restore')
  requireEmbedded(parsed)
  const { dataDir } = parsed
  if (!(await unlessMissing(stat(archive)))?.isFile()) throw new Error(`There is no file ${archive}.`)
  const found = (await unlessMissing(readdir(dataDir))) ?? []
  if (found.some((name) => name !== 'lost+found')) {
    throw new Error(`${dataDir} is not empty. Restore into an empty or new DATA_DIR.`)
  }
  // Inside DATA_DIR, because that may be a mount point, and a rename cannot cross file systems.
  const made = await mkdir(dataDir, { recursive: true })
  const draft = await mkdtemp(join(dataDir, '.restoring-'))
  const moved: string[] = []
  try {
    const manifest = await interruptible((signal) =>
      unpackBackup(reportProgress(decompress(archive), 'Restoring', signal), draft),
    )
    // The database goes last: an installation counts as restored only when it is there.
    for (const part of PARTS.filter((name) => manifest.holds.includes(name)).reverse()) {
      await unlessMissing(rename(join(draft, part), join(dataDir, part)))
      moved.push(join(dataDir, part))
    }
    await rmdir(draft)
    const text = `Restored the backup of ${manifest.created_at} to ${dataDir}.`
    return [text, ...describeMissing(manifest), ...describeOtherFolder(parsed)].join(' ')
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

/** Folders of the parts beside the database. A bucket, or a key from the environment, is not in the archive. */
async function findTrees(parsed: ParsedConfig): Promise<Partial<Record<Part, string>>> {
  const key = join(parsed.dataDir, 'secret-key')
  const hasKey = parsed.secretKey === null && (await Bun.file(key).exists())
  return {
    mail: parsed.mail.folder,
    ...(parsed.storage.kind === 'folder' && { objects: parsed.storage.path }),
    ...(hasKey && { 'secret-key': key }),
  }
}

function describeMissing({ holds }: Manifest): string[] {
  const key = 'It does not contain the key: store the SECRET_KEY of this installation with it.'
  const objects = 'It does not contain objects: back up the object store with its own tools.'
  return [...(holds.includes('secret-key') ? [] : [key]), ...(holds.includes('objects') ? [] : [objects])]
}

function describeOtherFolder({ dataDir, storage }: ParsedConfig): string[] {
  const folder = join(dataDir, 'objects')
  if (storage.kind === 'folder' && storage.path === folder) return []
  return [`STORAGE_URL points elsewhere: copy the objects there from ${folder}.`]
}

/** Writes under a temporary name until complete. A restore checks the checksum at the end. */
async function writeArchive(target: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
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
      for await (const chunk of packed) await file.appendFile(chunk)
    })
    await file.sync()
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function* decompress(path: string): AsyncGenerator<Uint8Array> {
  try {
    // Unlike zlib's, this stream reports a truncated archive.
    yield* Bun.file(path).stream().pipeThrough(new DecompressionStream('zstd'))
  } catch (cause) {
    throw new Error(`${path} is damaged, truncated or not a backup. Nothing was restored.`, { cause })
  }
}

async function removeEmpty(from: string, last: string): Promise<void> {
  for (let path = from; path.startsWith(last); path = dirname(path)) await rmdir(path).catch(() => undefined)
}
