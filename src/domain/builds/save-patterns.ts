import { requireSafePath } from '../../lib/zip/paths.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'

export const SAVE_SYSTEMS = ['linux', 'windows', 'macos'] as const
export type SaveSystem = (typeof SAVE_SYSTEMS)[number]

export const SAVE_PATTERN_MAX = 255

/** The folders in which games keep saves, and the one in which the game is installed. */
const ROOTS = {
  linux: ['~/.local/share', '~/.config', '~/Documents', '~/Saved Games', '.'],
  windows: ['%APPDATA%', '%LOCALAPPDATA%', '~/AppData/LocalLow', '~/Documents', '~/Saved Games', '.'],
  macos: [
    '~/Library/Application Support',
    '~/Documents',
    '~/Saved Games',
    '~/.local/share',
    '~/.config',
    '.',
  ],
} as const satisfies Record<SaveSystem, readonly string[]>
export type SaveRoot = (typeof ROOTS)[SaveSystem][number]

export interface SavePattern {
  text: string
  root: SaveRoot
  /** The folders below the root that all of its files are in. */
  folders: string[]
  /** What follows them: names, with or without wildcards. */
  rest: string[]
}

/** What is wrong with a pattern, continuing after its name: `must be …`. */
export class SavePatternError extends Error {
  override readonly name = 'SavePatternError'
}

/** Folders that many games share: a game's own folder is one below them. */
const SHARED = new Set(['godot', 'godot/app_userdata', 'unity3d', 'love', 'my games', 'saved games', 'games'])
/** Folders of browsers, keys, wallets and of programs that the system starts, and shelf's own. */
const FOREIGN = new Set(
  `shelf .shelf .shelf-incoming .ssh ssh .gnupg gnupg .aws aws .azure .kube .docker docker gcloud gh git rclone sops
  google chromium bravesoftware microsoft mozilla .mozilla firefox librewolf waterfox vivaldi opera safari arc yandex
  epiphany falkon qutebrowser thunderbird evolution keyrings keychains kwalletd password-store keepassxc bitwarden
  1password signal discord slack bitcoin electrum ethereum exodus monero autostart systemd environment.d applications
  dbus-1 fish nushell flatpak packages programs temp`.split(/\s+/),
)
const FOREIGN_KINDS =
  /^(?:google-chrome|microsoft[- ]edge|vivaldi|opera software|com\.operasoftware|com\.apple)/

/** Wildcards are `*` and `?` inside a name, and `**` for any number of folders. */
const WILD = /[*?]/
const ANY_DEPTH = '**'

/** Throws `SavePatternError` for a pattern that could name more than the saves of one game. */
export function parseSavePattern(text: string, system: SaveSystem): SavePattern {
  requireWritable(text)
  const root = ROOTS[system].find((one) => text.startsWith(`${one}/`))
  if (root === undefined) throw new SavePatternError(`must begin with ${ROOTS[system].join('/, ')}/.`)
  const parts = text.slice(root.length + 1).split('/')
  parts.forEach(requirePlainPart)
  const wild = parts.findIndex((part) => WILD.test(part))
  const at = wild === -1 ? parts.length - 1 : wild
  const folders = parts.slice(0, at)
  requireOwnFolder(root, folders)
  return { text, root, folders, rest: parts.slice(at) }
}

function requireWritable(text: string): void {
  if (text.length > SAVE_PATTERN_MAX)
    throw new SavePatternError(`must have at most ${SAVE_PATTERN_MAX} characters.`)
  if (text.includes('\\')) throw new SavePatternError('has a backslash; folders are separated by /.')
  const isPlain = text.isWellFormed() && !/[\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(text)
  if (!isPlain) throw new SavePatternError('has invisible characters.')
}

function requirePlainPart(part: string, index: number, parts: readonly string[]): void {
  if (part === '' || part === '.' || part === '..')
    throw new SavePatternError('has an empty name, "." or ".." in it; name the folders themselves.')
  if (/[[\]{}]/.test(part))
    throw new SavePatternError(
      'has brackets or braces; only *, ? and ** are wildcards. Write a pattern for each.',
    )
  if (/[%$<>"|]|^~|~\d/.test(part))
    throw new SavePatternError(`has characters in "${part}" that a name of a save cannot have.`)
  if (part.includes(ANY_DEPTH) && part !== ANY_DEPTH)
    throw new SavePatternError('has ** beside other characters; ** stands for folders, as in saves/**/*.sav.')
  if (/^ |[ .]$/.test(part))
    throw new SavePatternError('has a name that begins with a space, or ends with a space or dot.')
  const isFolder = index < parts.length - 1
  if (fold(part) === '.shelf' || fold(part) === '.shelf-incoming')
    throw new SavePatternError('names a folder that belongs to shelf.')
  try {
    requireSafePath(isFolder ? `${part}/` : part)
  } catch (error) {
    if (error instanceof ZipError) throw new SavePatternError(`is not a safe path: ${error.message}`)
    throw error
  }
}

function requireOwnFolder(root: SaveRoot, folders: readonly string[]): void {
  const names = folders.map(fold)
  const [first = ''] = names
  if (names.length === 0 || (root !== '.' && SHARED.has(names.join('/'))))
    throw new SavePatternError(
      `must name a folder of the game itself below ${[root, ...folders].join('/')}, without wildcards.`,
    )
  if (root === '.') return
  const isForeign = FOREIGN.has(first) || FOREIGN_KINDS.test(first) || names.includes('.ssh')
  if (isForeign) throw new SavePatternError(`names "${folders[0]}", which belongs to another program.`)
}

/** As systems compare names that ignore case. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Whether it names one file, whose bytes are the save as they are. */
export function isSingleFile({ rest }: SavePattern): boolean {
  return !rest.some((part) => WILD.test(part))
}

/** A file by its names below the folders of the pattern. */
export function matchesSave({ rest }: SavePattern, path: string): boolean {
  return overlaps(rest, path.split('/').map(escapeWild))
}

/** `*` and `?` of a real name are not wildcards; no pattern has these stand-ins. */
function escapeWild(name: string): string {
  return name.replaceAll('*', '\u0001').replaceAll('?', '\u0002')
}

/** Whether files of the folder can match; `path` is empty for the folder of the pattern itself. */
export function mayHoldSaves({ rest }: SavePattern, path: string): boolean {
  if (path === '') return true
  const names = path.split('/').map(escapeWild)
  const limit = rest.indexOf(ANY_DEPTH)
  if (limit !== -1 && names.length >= limit) return overlaps(rest.slice(0, limit), names.slice(0, limit))
  return names.length < rest.length && overlaps(rest.slice(0, names.length), names)
}

/** Whether some file could belong to both. */
export function shareFiles(one: SavePattern, other: SavePattern): boolean {
  return one.root === other.root && overlaps([...one.folders, ...one.rest], [...other.folders, ...other.rest])
}

/** Whether files of both could have the same name in a save, although they are in different folders. */
export function shareNames(one: SavePattern, other: SavePattern): boolean {
  return baseOf(one) !== baseOf(other) && overlaps(one.rest, other.rest)
}

export function baseOf({ root, folders }: SavePattern): string {
  return [root, ...folders].map(fold).join('/')
}

/** Whether one path matches both lists of names. */
function overlaps(left: readonly string[], right: readonly string[]): boolean {
  return meet(left, right, {
    isMany: (part) => part === ANY_DEPTH,
    fits: (a, b) =>
      meet(Array.from(fold(a)), Array.from(fold(b)), {
        isMany: (letter) => letter === '*',
        fits: (x, y) => x === y || x === '?' || y === '?',
      }),
  })
}

interface Wildcards {
  /** Stands for any number of items, none too. */
  isMany: (item: string) => boolean
  fits: (left: string, right: string) => boolean
}

/** Whether one sequence fits both patterns. Row by row, so it takes at most the product of both lengths. */
function meet(left: readonly string[], right: readonly string[], { isMany, fits }: Wildcards): boolean {
  let row: boolean[] = []
  for (let at = 0; at <= left.length; at += 1) {
    const item = left[at - 1]
    const next: boolean[] = []
    for (let to = 0; to <= right.length; to += 1) {
      const other = right[to - 1]
      if (item === undefined && other === undefined) next.push(true)
      else {
        const skipsLeft = item !== undefined && (isMany(item) || (other !== undefined && isMany(other)))
        const skipsRight = other !== undefined && (isMany(other) || (item !== undefined && isMany(item)))
        const fitting =
          item !== undefined && other !== undefined && !isMany(item) && !isMany(other) && fits(item, other)
        next.push(
          (skipsLeft && (row[to] ?? false)) ||
            (skipsRight && (next[to - 1] ?? false)) ||
            (fitting && (row[to - 1] ?? false)),
        )
      }
    }
    row = next
  }
  return row[right.length] ?? false
}
