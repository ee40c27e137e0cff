import { adoptStore, findInstallationFault } from '../db/storage-owner.ts'
import type { Deps } from '../deps.ts'

/** Gives the object store to this database, where the operator knows better than the checks. */
export async function runAdoptStorage(deps: Deps, isConfirmed: boolean): Promise<string> {
  const fault = await findInstallationFault(deps)
  if (fault === null) return 'The object store belongs to this database already: there is nothing to do.'
  if (!isConfirmed) return fault
  const id = await adoptStore(deps)
  deps.log.warn('The object store was given to this database', { installation: id })
  return `The object store belongs to this database from now on (installation ${id}). Objects that no row names are swept after a day; \`playshelf sweep\` lists them.`
}
