import { isAbsolute, join, relative, resolve } from 'node:path'

import type { SavePattern, SaveRoot, SaveSystem } from '../../domain/builds/save-patterns.ts'
import { CliError } from '../cli-error.ts'
import { lookAt } from '../install/record.ts'
import { cacheFolder, configFolder, type Machine } from '../settings/settings.ts'

/** While new files are written, they are in a folder of this name beside the ones that they replace. */
export const INCOMING = '.shelf-incoming'

/** Where a pattern looks on this machine. */
export interface SaveFolder {
  /** The known folder, which the player may have made a link. */
  root: string
  path: string
  pattern: SavePattern
}

export function saveSystem(platform: NodeJS.Platform): SaveSystem {
  return platform === 'win32' ? 'windows' : platform === 'darwin' ? 'macos' : 'linux'
}

/** `install` is the folder of the game. */
export function locateSaves(machine: Machine, install: string, pattern: SavePattern): SaveFolder {
  const root = resolve(locateRoot(machine, install, pattern.root))
  const path = join(root, ...pattern.folders)
  requireOwn(machine, path, pattern)
  return { root, path, pattern }
}

function locateRoot({ env, home }: Machine, install: string, root: SaveRoot): string {
  const named = (value: string | undefined, ...fallback: string[]) =>
    value !== undefined && isAbsolute(value) ? value : join(home, ...fallback)
  // Games ask the system for these folders, so they move with its settings.
  const moved: Partial<Record<SaveRoot, string>> = {
    '.': install,
    '~/.local/share': named(env.XDG_DATA_HOME, '.local', 'share'),
    '~/.config': named(env.XDG_CONFIG_HOME, '.config'),
    '%APPDATA%': named(env.APPDATA, 'AppData', 'Roaming'),
    '%LOCALAPPDATA%': named(env.LOCALAPPDATA, 'AppData', 'Local'),
  }
  return moved[root] ?? join(home, ...root.split('/').slice(1))
}

/** Settings of the system can move the known folders anywhere. */
function requireOwn(machine: Machine, path: string, { text }: SavePattern): void {
  const own = [configFolder(machine), cacheFolder(machine)].map((folder) => resolve(folder))
  const isTooWide = [resolve(machine.home), ...own].some((folder) => holds(path, folder))
  const isForeign = own.some((folder) => holds(folder, path)) || /[\\/]\.(?:ssh|gnupg)(?:[\\/]|$)/.test(path)
  if (isTooWide || isForeign)
    throw new CliError('files', `The pattern ${text} leads to ${path}, which is not a folder of the game.`)
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

/**
 * False where the folder is missing. Throws for a link on the way to it: below the known folder nothing is read or
 * written through links.
 */
export async function hasFolder({ root, path }: Pick<SaveFolder, 'root' | 'path'>): Promise<boolean> {
  let at = root
  for (const part of relative(root, path).split(/[\\/]/)) {
    at = join(at, part)
    const found = await lookAt(at)
    if (found === null) return false
    if (found.isDirectory()) continue
    const kind = found.isSymbolicLink() ? 'a link' : 'no folder'
    throw new CliError('files', `${at} is ${kind}, so the saves in it are left alone.`)
  }
  return true
}
