import type { InstallBuilds } from '../../features/catalog/installs/model.ts'
import { CliError } from '../cli-error.ts'
import type { InstallTarget } from './install.ts'

/** What is looked for, with what this machine can run as the default. */
export interface BuildRequest {
  channel: string
  app: string
  os: string
  /** The first of these that there is. */
  archs: readonly string[]
  version: string | null
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows', darwin: 'macos' }

export function hostSystem(platform: NodeJS.Platform): string {
  return SYSTEMS[platform] ?? 'linux'
}

/** What a machine runs, best first; Windows and macOS translate programs of another processor. */
export function hostArchitectures(platform: NodeJS.Platform, arch: string): string[] {
  const own = arch === 'x64' ? 'x86_64' : arch === 'ia32' ? 'x86' : arch
  const others = { win32: ['x86_64', 'x86'], darwin: ['x86_64'], linux: ['x86'] } as const
  const more =
    platform === 'win32' || platform === 'darwin' ? others[platform] : own === 'x86_64' ? others.linux : []
  return [...new Set([own, 'universal', ...more])]
}

/** The file to install. Throws with what there is otherwise. */
export function chooseBuild({ game, builds }: InstallBuilds, request: BuildRequest): InstallTarget {
  const { app, os, channel, version } = request
  const fitting = builds.filter((build) => build.app === app && build.os === os)
  const ranked = request.archs.flatMap((arch) => fitting.filter((build) => build.arch === arch))
  const [found] = ranked
  if (!found) {
    const there = [...new Set(builds.map((build) => `${build.os} ${build.arch} (${build.app})`))]
    throw new CliError(
      'refused',
      `${game.name} has no build for ${os} ${request.archs[0] ?? ''} on the channel ${channel}.`,
      there.length === 0
        ? {}
        : { hint: `There is: ${there.join(', ')}. Choose with --os, --arch and --app.` },
    )
  }
  const build = version === null ? found : ranked.find((one) => one.version === version)
  if (!build) {
    throw new CliError('refused', `The channel ${channel} has version ${found.version}, not ${version}.`, {
      hint: 'Leave --version out to install that one.',
    })
  }
  const [file] = build.files
  if (!file) throw new CliError('refused', `The build ${build.version} has no file yet.`)
  return { game, build, file }
}
