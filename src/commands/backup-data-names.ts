/** What Postgres itself keeps in its data folder, apart from its configuration. */
const NAMES: ReadonlySet<string> = new Set([
  'PG_VERSION',
  'backup_label',
  'base',
  'global',
  'pg_commit_ts',
  'pg_dynshmem',
  'pg_logical',
  'pg_multixact',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
  'pg_twophase',
  'pg_wal',
  'pg_xact',
])

/**
 * Whether a member of the data folder belongs in an archive. Configuration does not: it can run programs, so a restore
 * writes it anew.
 */
export function isDataName(name: string): boolean {
  return NAMES.has(name.split('/')[0] ?? '')
}
