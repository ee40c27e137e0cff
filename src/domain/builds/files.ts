export const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const
export type ScanState = (typeof SCAN_STATES)[number]

const DELETED =
  'The file was deleted and nobody can download it. Players still get the build they had before.'

/** What becomes of a file that its scan refused, then what its uploader can do. */
export const REFUSAL_TEXTS = {
  infected: [
    DELETED,
    'Check the machine that made the build, then build and upload again. If you think this is a false alarm, contact the people who run this store.',
  ],
  error: [DELETED, 'Fix the problem and upload again.'],
} as const

export function isRefused(scan: ScanState): scan is keyof typeof REFUSAL_TEXTS {
  return scan in REFUSAL_TEXTS
}

/** What the engine of a scan is called where no antivirus looked, but only the built-in scanner. */
export const NO_ANTIVIRUS = 'Checked, no antivirus'
const ANTIVIRUS = 'ClamAV'

/** "Clean" is said to people only where an antivirus looked. */
export function isAntivirus(engine: string | null | undefined): boolean {
  return engine?.startsWith(ANTIVIRUS) ?? false
}

/** As it is shown; null before the first scan. */
export function showEngine(engine: string | null): string | null {
  return engine === null || isAntivirus(engine) ? engine : NO_ANTIVIRUS
}

/** How a file was uploaded. */
export const UPLOAD_SOURCES = ['deploy_key', 'trusted_publisher', 'website'] as const
export type UploadSource = (typeof UPLOAD_SOURCES)[number]

/** The route through which a download was requested. */
export const DOWNLOAD_SOURCES = [
  'signed_out',
  'redirect',
  'asset_library',
  'library',
  'install',
  'update',
  'play',
] as const
export type DownloadSource = (typeof DOWNLOAD_SOURCES)[number]

/** Where the object store keeps the file. */
export function objectKeyOfFile(gameUid: string, fileUid: string): string {
  return `builds/${gameUid}/${fileUid}.zip`
}

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
