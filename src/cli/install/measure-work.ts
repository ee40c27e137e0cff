import type { Missing } from './check-staged.ts'
import type { InstallPlan } from './plan.ts'

/** The bytes that are copied, fetched and checked for files, as far as everything goes well. */
export function measureWork(missing: readonly Missing[], local: InstallPlan['local']): number {
  return missing.reduce((sum, one) => sum + measureFile(one, local), 0)
}

function measureFile({ file, pieces }: Missing, local: InstallPlan['local']): number {
  const read = file.size
  if (pieces === null && (file.copyOf !== null || local.has(file.sha256))) return file.size + read
  if (file.pieces === null) return file.packed + read
  const parts = pieces ?? file.pieces
  const bytes = parts.reduce((sum, { sha256, size, packed }) => sum + (local.has(sha256) ? size : packed), 0)
  // What is fetched as a whole is hashed on the way, not read again.
  const isFetched = parts.length === file.pieces.length && parts.every(({ sha256 }) => !local.has(sha256))
  return isFetched ? bytes : bytes + read
}
