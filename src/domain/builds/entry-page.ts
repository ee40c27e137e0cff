const ENTRY_PAGE = 'index.html'
/** What macOS adds beside the zipped folder. */
const FINDER_FOLDER = '__MACOSX/'

/** `index.html` at the root of the zip, or in its only top folder; null where there is none. */
export function findEntryPage(paths: readonly string[]): string | null {
  const own = paths.filter((path) => !path.startsWith(FINDER_FOLDER))
  if (own.includes(ENTRY_PAGE)) return ENTRY_PAGE
  const [folder, ...others] = new Set(own.map((path) => path.slice(0, path.indexOf('/') + 1)))
  if (folder === undefined || folder === '' || others.length > 0) return null
  return own.includes(folder + ENTRY_PAGE) ? folder + ENTRY_PAGE : null
}

/** The folder of the entry page with its slash; empty for the root. */
export function folderOf(entryPage: string): string {
  return entryPage.slice(0, -ENTRY_PAGE.length)
}

/** Why a web build cannot be played; `found` is an entry page at another place, if there is one. */
export function describeMissingPage(found: string | null): string {
  const elsewhere = found === null ? '' : `; found at ${found}`
  return `${ENTRY_PAGE} was not found at the root${elsewhere}`
}
