import { requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'

/** How an installed build is started. */
export interface Launch {
  /** The program, as its path in the zip. */
  path: string
  args?: string[] | undefined
}

export const LAUNCH_PATH_MAX = 255
export const LAUNCH_ARGS_MAX = 20
export const LAUNCH_ARG_MAX = 255

/** Whether it is the path of a file inside the zip. */
export function isLaunchPath(path: string): boolean {
  if (path.length > LAUNCH_PATH_MAX || path.split('/').some((part) => part === '' || part === '.'))
    return false
  try {
    requireSafePath(path)
    return true
  } catch (error) {
    if (error instanceof ZipError) return false
    throw error
  }
}
