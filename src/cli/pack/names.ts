import { PathSet, requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'

/** Characters and ends of names that Windows cannot write. */
export const NOT_ON_WINDOWS = /[<>"|?*]|[. ](?:\/|$)/

/** Warns of names that a Windows player could not unpack, or that the store's scan refuses. */
export function findNameFaults(paths: Iterable<string>): string[] {
  const known = new PathSet()
  const faults: string[] = []
  for (const path of paths) {
    try {
      requireSafePath(path)
      known.add(path)
      if (NOT_ON_WINDOWS.test(path)) faults.push(`"${path}" cannot be unpacked on Windows under this name.`)
    } catch (error) {
      if (!(error instanceof ZipError)) throw error
      faults.push(`${error.message} The store will refuse it.`)
    }
  }
  return faults
}
