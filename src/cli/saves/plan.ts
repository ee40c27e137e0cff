/** What shelf last had in common with the account. `sha256` is that of the local save; null if there was none. */
export interface SyncedSave {
  revision: string
  sha256: string | null
}

export interface RemoteSave {
  revision: string
  sha256: string
}

/**
 * `adopt`: both have the same already. `conflict`: both changed since they were the same, or nobody knows when
 * they were.
 */
export type SaveStep = 'none' | 'adopt' | 'pull' | 'push' | 'conflict'

interface SaveFacts {
  synced: SyncedSave | null
  /** SHA-256 of the save on this machine; null if it has none. */
  local: string | null
  remote: RemoteSave | null
}

/** Compares revisions and content, never times: clocks differ. */
export function planSave({ synced, local, remote }: SaveFacts): SaveStep {
  if (remote === null) {
    // Deleted in the account: the files here stay, and are sent once they change.
    const isKnown = synced !== null && synced.sha256 === local
    return local === null || isKnown ? 'none' : 'push'
  }
  const isNewer = synced?.revision !== remote.revision
  if (local === null) {
    // Missing files are no deletion: a reinstalled machine has none either.
    return synced !== null && synced.sha256 === null && !isNewer ? 'none' : 'pull'
  }
  if (synced !== null && synced.sha256 === local) return isNewer ? moveOn(local, remote) : 'none'
  if (local === remote.sha256) return 'adopt'
  return synced === null || isNewer ? 'conflict' : 'push'
}

function moveOn(local: string, remote: RemoteSave): SaveStep {
  return local === remote.sha256 ? 'adopt' : 'pull'
}
