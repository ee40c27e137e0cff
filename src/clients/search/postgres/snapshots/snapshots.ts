import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import type { Db } from '../../../../db/client.ts'
import { findInstallationId } from '../../../../db/installation.ts'
import type { Logger } from '../../../../lib/log.ts'
import { unlessMissing } from '../../../../lib/unless-missing.ts'
import { Columns } from '../index/columns.ts'
import { loadStateAt } from '../write/index-queries.ts'
import { DRAFT_ENDING, SnapshotFile, UnusableSnapshot, writeSnapshot } from './snapshot-file.ts'

/** Fewer documents are loaded from the database within a second. */
const DOCUMENTS_MIN = 20_000
/** A snapshot is replaced when this share of the documents was written since. */
const CHANGED_SHARE = 1 / 50
const EVERY_MS = 10 * 60_000
/** A draft this old belongs to a process that was killed. */
const DRAFT_MAX_MS = 60 * 60_000

export interface LoadedSnapshot {
  columns: Columns
  version: number
}

/**
 * The documents of the index in a file, so that a start does not read them all from the database. Any number of
 * processes can share the file. Without it, or where it cannot be written, everything works as before.
 */
export class Snapshots {
  private savedVersion = 0
  private triedAt = Number.NEGATIVE_INFINITY
  private hasFailed = false

  constructor(
    private readonly db: Db,
    private readonly path: string,
    private readonly log: Logger,
    private readonly documentsMin = DOCUMENTS_MIN,
  ) {}

  /** Returns null if there is no snapshot of this database. Later documents must be read from the database. */
  async load(): Promise<LoadedSnapshot | null> {
    try {
      await using file = await unlessMissing(this.open())
      if (file === null) return null
      const { version } = file.header
      const state = await loadStateAt(this.db, version)
      const columns = new Columns()
      await columns.restore(file.next, state.changed)
      await file.verify()
      const { documents, versions } = columns.sumVersions()
      if (documents !== state.documents || versions !== state.versions)
        throw new UnusableSnapshot('it does not belong to this state of the database')
      this.savedVersion = version
      return { columns, version }
    } catch (error) {
      this.log.info('The search index is read from the database: its snapshot cannot be used', { error })
      return null
    }
  }

  /** Never throws, and writes only if much has changed since the last snapshot. */
  async saveIfDue(columns: Columns, version: number): Promise<void> {
    const isDue = (savedVersion: number) => version - savedVersion > columns.size * CHANGED_SHARE
    if (columns.size < this.documentsMin || !isDue(this.savedVersion)) return
    if (Date.now() - this.triedAt < EVERY_MS) return
    this.triedAt = Date.now()
    // Captured now: the index changes while the file is written.
    const sections = columns.save()
    try {
      const installation = await findInstallationId(this.db)
      if (installation === null) return
      this.savedVersion = await this.readSavedVersion()
      if (!isDue(this.savedVersion)) return
      await this.prepareFolder()
      await writeSnapshot(this.path, { installation, version }, sections)
      this.savedVersion = version
    } catch (error) {
      const level = this.hasFailed ? 'debug' : 'warn'
      this.hasFailed = true
      this.log[level](
        'The snapshot of the search index could not be written, so the next start takes longer. Check DATA_DIR.',
        { error },
      )
    }
  }

  private async open(): Promise<SnapshotFile> {
    const file = await SnapshotFile.open(this.path)
    if (file.header.installation === (await findInstallationId(this.db))) return file
    await file[Symbol.asyncDispose]()
    throw new UnusableSnapshot('it belongs to another installation')
  }

  /** The version of the current file, which another process may have written; 0 if it cannot be used. */
  private async readSavedVersion(): Promise<number> {
    try {
      await using file = await this.open()
      return file.header.version
    } catch {
      return 0
    }
  }

  private async prepareFolder(): Promise<void> {
    const folder = dirname(this.path)
    await mkdir(folder, { recursive: true })
    for (const name of await readdir(folder)) {
      if (!name.startsWith(basename(this.path)) || !name.endsWith(DRAFT_ENDING)) continue
      const draft = join(folder, name)
      const found = await unlessMissing(stat(draft))
      if (found && Date.now() - found.mtimeMs > DRAFT_MAX_MS) await rm(draft, { force: true })
    }
  }
}
