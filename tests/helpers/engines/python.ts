/** Debian's own interpreter, which sees Debian's packages. */
export const PYTHON = '/usr/bin/python3'
export const PYTHON_PACKAGES = ['python3', 'python3-jwt'] as const

export function isPyJwtInstalled(): boolean {
  if (Bun.which(PYTHON) === null) return false
  return Bun.spawnSync([PYTHON, '-c', 'import jwt'], { stderr: 'ignore' }).success
}
