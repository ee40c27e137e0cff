import type { Deps } from '../deps.ts'
import { listKeyIds, rotateKeys } from '../features/builds/attestations/service.ts'

const USAGE = 'keys takes: list or rotate'

/** The keys that sign statements about files. Old ones stay published, so that what they signed can be checked. */
export async function runKeys(deps: Deps, [action, ...more]: readonly string[]): Promise<string> {
  if ((action !== 'list' && action !== 'rotate') || more.length > 0) throw new Error(USAGE)
  const ids = action === 'rotate' ? await rotateKeys(deps) : await listKeyIds(deps.db)
  if (ids.length === 0) return 'There is no key yet: the first statement makes one.'
  return ids.map((id, index) => `${id} ${index === 0 ? 'signs' : 'published'}`).join('\n')
}
