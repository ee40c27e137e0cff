/** Reasons why editors up to 4.1 would drop or misplace files of a package's zip. */
export const LAYOUT_FAULTS = ['no_wrapper', 'no_folder_entries'] as const
export type LayoutFault = (typeof LAYOUT_FAULTS)[number]

/** What happened, then what to do. */
export const LAYOUT_MESSAGES: Readonly<Record<LayoutFault, string>> = {
  no_wrapper:
    'Editors up to Godot 4.1 remove the first folder of every path and drop files outside of one. Put everything into one folder, for example my-addon/addons/my-addon/, and zip that.',
  no_folder_entries:
    'Editors up to Godot 4.1 skip files whose folder has no entry of its own in the zip. Zip the folder again with entries for its folders, for example with zip -r.',
}

interface Entry {
  path: string
  isFolder: boolean
}

/** The folder that add-ons are installed to, which is therefore never the wrapper. */
const ADDONS = 'addons'

export function findLayoutFaults(entries: readonly Entry[]): LayoutFault[] {
  const files = entries.filter(({ isFolder }) => !isFolder).map(({ path }) => path)
  const folders = new Set(entries.filter(({ isFolder }) => isFolder).map(({ path }) => path))
  const [wrapper, ...others] = new Set(files.map((path) => path.slice(0, path.indexOf('/') + 1)))
  const hasWrapper = others.length === 0 && wrapper !== '' && wrapper !== `${ADDONS}/`
  const hasFolders = files.every((path) => foldersOf(path).every((folder) => folders.has(folder)))
  return [
    ...(hasWrapper ? [] : ['no_wrapper' as const]),
    ...(hasFolders ? [] : ['no_folder_entries' as const]),
  ]
}

/** `a/b/c.gd` is in `a/` and `a/b/`. */
function foldersOf(path: string): string[] {
  return path
    .split('/')
    .slice(0, -1)
    .map((_, index, names) => `${names.slice(0, index + 1).join('/')}/`)
}
