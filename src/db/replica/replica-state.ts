/** Where the primary is in its log, and whose data it holds. */
export interface PrimaryState {
  /** Identifies the cluster; a replica has the same. */
  system: string
  /** null before the first start of the server. */
  installation: string | null
  /** Changes with every failover. */
  timeline: string
  /** Every change that was visible when this was read is before it. */
  position: string
}

export interface ReplicaState extends PrimaryState {
  isReplica: boolean
  /** Everything before this position can be read. */
  position: string
  /** Differs between servers, and after a restart. */
  startedAt: string
}

/**
 * The position of the last insertion, not of the last write: with `synchronous_commit` off a change is visible before
 * it is written.
 */
export const READ_PRIMARY = `
  select system_identifier::text as system, (select id::text from installation) as installation,
    substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline,
    (pg_current_wal_insert_lsn() - '0/0')::text as position
  from pg_control_system()`

export const READ_REPLICA = `
  select pg_is_in_recovery() as "isReplica", system_identifier::text as system,
    (select id::text from installation) as installation,
    upper(lpad(to_hex(greatest(timeline_id, min_recovery_end_timeline)), 8, '0')) as timeline,
    (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::text as position,
    pg_postmaster_start_time()::text as "startedAt"
  from pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`

/** Why this server must not be read from; null if it is a replica of the primary. */
export function findReplicaFault(primary: PrimaryState, replica: ReplicaState): string | null {
  if (!replica.isReplica) return 'this server is not a replica: it accepts writes, or was promoted'
  if (replica.system !== primary.system) return 'this server is a replica of another Postgres'
  if (replica.installation !== primary.installation) return 'this database belongs to another installation'
  if (replica.timeline !== primary.timeline) {
    return 'after a failover, this replica does not follow the new primary, or has not replayed a checkpoint of it yet'
  }
  return null
}

export function hasReplayed(replica: ReplicaState, primary: PrimaryState): boolean {
  return BigInt(replica.position) >= BigInt(primary.position)
}
