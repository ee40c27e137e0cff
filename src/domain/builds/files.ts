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
