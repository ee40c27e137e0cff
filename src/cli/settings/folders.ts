import { join } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

/** What decides where a system keeps settings and caches. */
export interface Machine {
  env: Env
  platform: NodeJS.Platform
  home: string
}

export function configFolder({ env, platform, home }: Machine): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'shelf')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'shelf')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'shelf')
  return join(home, '.config', 'shelf')
}

export function cacheFolder({ env, platform, home }: Machine): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'shelf')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'shelf', 'cache')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'shelf')
  return join(home, '.cache', 'shelf')
}
