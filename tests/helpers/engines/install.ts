import { ARCHIVER_PACKAGES, areArchiversInstalled } from './archivers.ts'
import { CEPH_PACKAGES, isCephInstalled } from './ceph.ts'
import { BROWSER_PACKAGES, findBrowser } from './chromium.ts'
import { CLAMD_PACKAGES, isClamdInstalled } from './clamd.ts'
import { findFirefox, FIREFOX_PACKAGES } from './firefox.ts'
import { GODOT_PACKAGES, isGodotInstalled } from './godot.ts'
import { HAPROXY_PACKAGES, isHaproxyInstalled } from './haproxy.ts'
import { installMeilisearch } from './meilisearch.ts'
import { isNginxInstalled, NGINX_PACKAGES } from './nginx.ts'
import { isPyJwtInstalled, PYTHON_PACKAGES } from './python.ts'
import { isRedisInstalled, REDIS_PACKAGES } from './redis.ts'
import { findWebKit, WEBKIT_PACKAGES } from './webkit.ts'
import { canRunX64, X64_PACKAGES } from './x64-programs.ts'

/** Programs that fetch only what changed; benchmarks compare with them. */
const DELTA_PACKAGES = ['rsync', 'zsync'] as const

export const ENGINE_NAMES = [
  'postgres',
  'redis',
  's3',
  'clamd',
  'meilisearch',
  'browser',
  'firefox',
  'webkit',
  'python',
  'godot',
  'haproxy',
  'nginx',
  'archivers',
  'deltas',
] as const
export type EngineName = (typeof ENGINE_NAMES)[number]

interface Installable {
  packages: readonly string[]
  hasPackages(): boolean
  /** Downloads what is not available as a package. */
  isUsable?(): Promise<boolean>
}

const ENGINES: Readonly<Record<EngineName, Installable>> = {
  // A dependency of the project itself.
  postgres: { packages: [], hasPackages: () => true },
  redis: { packages: REDIS_PACKAGES, hasPackages: isRedisInstalled },
  s3: { packages: CEPH_PACKAGES, hasPackages: isCephInstalled },
  clamd: { packages: CLAMD_PACKAGES, hasPackages: isClamdInstalled },
  meilisearch: {
    packages: X64_PACKAGES,
    hasPackages: canRunX64,
    isUsable: installMeilisearch,
  },
  browser: { packages: BROWSER_PACKAGES, hasPackages: () => findBrowser() !== null },
  firefox: { packages: FIREFOX_PACKAGES, hasPackages: () => findFirefox() !== null },
  webkit: { packages: WEBKIT_PACKAGES, hasPackages: () => findWebKit() !== null },
  python: { packages: PYTHON_PACKAGES, hasPackages: isPyJwtInstalled },
  godot: { packages: GODOT_PACKAGES, hasPackages: isGodotInstalled },
  haproxy: { packages: HAPROXY_PACKAGES, hasPackages: isHaproxyInstalled },
  nginx: { packages: NGINX_PACKAGES, hasPackages: isNginxInstalled },
  archivers: { packages: ARCHIVER_PACKAGES, hasPackages: areArchiversInstalled },
  deltas: { packages: DELTA_PACKAGES, hasPackages: areDeltasInstalled },
}

/** Installs the packages of these engines where permitted. Returns the engines that are still unusable. */
export async function installEngines(names: readonly EngineName[]): Promise<EngineName[]> {
  // What needs no package is downloaded meanwhile.
  const early = new Map(
    names.filter((name) => ENGINES[name].hasPackages()).map((name) => [name, isUsable(name)]),
  )
  const packages = listPackages(names.filter((name) => !early.has(name)))
  if (packages.length > 0) await installPackages(packages)
  const usable = await Promise.all(names.map((name) => early.get(name) ?? isUsable(name)))
  return names.filter((_, index) => !usable[index])
}

async function isUsable(name: EngineName): Promise<boolean> {
  const engine = ENGINES[name]
  return engine.hasPackages() && (await (engine.isUsable?.() ?? true))
}

/** The Debian packages of these engines. */
export function listPackages(names: readonly EngineName[]): string[] {
  return names.flatMap((name) => ENGINES[name].packages)
}

async function installPackages(packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !Bun.which('apt-get')) return
  console.error(`Installing ${packages.join(', ')} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const command of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const child = Bun.spawn(['apt-get', '-qq', ...command], { env, stdout: 'pipe', stderr: 'pipe' })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) console.error(`apt-get ${command[0]} ended with ${code}:\n${out}${err}`)
  }
}

function areDeltasInstalled(): boolean {
  return ['rsync', 'zsync', 'zsyncmake'].every((program) => Bun.which(program) !== null)
}
