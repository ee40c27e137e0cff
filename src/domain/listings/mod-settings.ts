/** How a mod is installed into its game. */
export interface ModSettings {
  install_path: string | null
  loader: string | null
  instructions: string | null
}

export const INSTRUCTIONS_MAX = 8000
export const INSTALL_PATH_MAX = 255

const FORBIDDEN = /[\\:*?"<>|\p{Cc}]/u
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?: *\..*)?$/i

/**
 * What is wrong with a path inside the game's folder on any supported system; null when it is valid. Windows strips
 * dots and spaces at the end of a name, so such a name could turn into another one.
 */
export function faultOfInstallPath(path: string): string | null {
  if (path.length > INSTALL_PATH_MAX) return `is longer than ${INSTALL_PATH_MAX} characters`
  if (path.startsWith('/') || path.startsWith('~')) return 'must be relative to the game folder'
  if (FORBIDDEN.test(path)) return String.raw`must not contain \ : * ? " < > | or control characters`
  const segments = path.replace(/\/$/, '').split('/')
  for (const segment of segments) {
    if (segment === '') return 'has an empty folder name'
    if (segment === '..') return 'must not leave the game folder with ..'
    if (segment !== '.' && /[. ]$/.test(segment)) return 'has a name that ends in a dot or a space'
    if (DEVICE.test(segment)) return `names the device ${segment}`
  }
  return null
}
