/** Programs that fetch only what changed; benchmarks compare with them. */
export const DELTA_PACKAGES = ['rsync', 'zsync'] as const

export function areDeltasInstalled(): boolean {
  return ['rsync', 'zsync', 'zsyncmake'].every((program) => Bun.which(program) !== null)
}
