import { adoptStore, findInstallationFault } from '../clients/object-store/storage-owner.ts'
import type { Deps } from '../deps.ts'

/** Assigns the object store to this database; for operators who know that the failed check is wrong. */
export async function runAdoptStorage(deps: Deps, isConfirmed: boolean): Promise<string> {
  const fault = await findInstallationFault(deps)
  if (fault === null) return 'The object store already belongs to this database. There is nothing to do.'
  if (!isConfirmed) return fault
  const id = await adoptStore(deps)
  deps.log.warn('The object store was assigned to this database', { installation: id })
  return `The object store now belongs to this database (installation ${id}). Objects that no row refers to are swept after a day; \`playshelf sweep\` lists them.`
}
