/** Programs that fetch only what changed; measured against. */
export const DELTA_PACKAGES = ['rsync', 'zsync'] as const

export function areDeltasInstalled(): boolean {
  return ['rsync', 'zsync', 'zsyncmake'].every((program) => Bun.which(program) !== null)
}
