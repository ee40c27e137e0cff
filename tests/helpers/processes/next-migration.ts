import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The changes of the next version, which processes of this version must tolerate. */
const MIGRATION = `alter table games add column next_version text default 'unknown' not null;
create table next_version (uid uuid primary key, game_uid uuid not null references games);`

interface Journal {
  entries: { idx: number; when: number; tag: string }[]
}

/** Adds a migration to a copy of the folder `drizzle`. */
export async function addNextMigration(folder: string): Promise<void> {
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8')) as Journal
  const last = journal.entries.at(-1)
  if (!last) throw new Error('There are no migrations')
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: 'next_version' })
  await writeFile(path, JSON.stringify(journal))
  await writeFile(join(folder, 'next_version.sql'), MIGRATION)
}
