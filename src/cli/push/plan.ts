import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'

import { Value } from '@sinclair/typebox/value'

import type { ChangelogItem } from '../../domain/builds/changelog-items.ts'
import { MAIN_APP, STABLE } from '../../domain/builds/channels.ts'
import type { Launch } from '../../domain/builds/launch.ts'
import { ShelfBuild } from '../../domain/builds/shelf-file.ts'
import { show } from '../../lib/text/show.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'
import type { ShelfJson } from '../settings/shelf-json.ts'
import { readChangelog, readChangelogText } from './changelog.ts'
import { readVersion } from './version.ts'

/** Fields of a build that the command line can set, named as in `shelf.json`. */
export type BuildFlags = Partial<Record<keyof ShelfBuild, string>>

export interface PlanOptions {
  cwd: string
  shelfJson: ShelfJson | null
  path: string | undefined
  flags: BuildFlags
  version: string | undefined
  changelog: string | undefined
  includeSecrets?: boolean | undefined
  onWarning: (text: string) => void
}

/** The body of the registration. */
export interface Registration {
  version: string
  os: string
  arch: string
  channel: string
  app: string
  app_name?: string
  build_type?: string
  title?: string
  description?: string
  engine_version?: string
  changelog_items?: ChangelogItem[]
  launch?: Launch
}

export interface PlannedBuild {
  name: string
  registration: Registration
  /** A folder, or a zip that is sent as it is. */
  path: string
  isZip: boolean
  filename: string
  fileList: string | null
  includeSecrets: boolean
  symbols: string[]
}

/** Without a path or name, all builds of `shelf.json`. */
export async function planBuilds(options: PlanOptions): Promise<PlannedBuild[]> {
  const { shelfJson, cwd, flags, includeSecrets = false } = options
  const folder = shelfJson?.folder ?? cwd
  const chosen = chooseBuilds(options)
  const version = await readVersion(options.version, shelfJson?.content.version, folder)
  const items = await readItems(options, version, folder)
  const channel = flags.channel ?? shelfJson?.content.channel
  const builds = await Promise.all(
    chosen.map((build) => planBuild(build, folder, { version, channel, items, includeSecrets })),
  )
  requireDistinct(builds)
  return builds
}

function chooseBuilds({ shelfJson, cwd, path, flags }: PlanOptions): ShelfBuild[] {
  const described = shelfJson?.content.builds ?? []
  const folder = shelfJson?.folder ?? cwd
  const target = path === undefined ? null : resolve(cwd, path)
  const named = described.filter((build) => flags.name === undefined || nameOf(build) === flags.name)
  const fitting =
    target === null ? named : described.filter((build) => resolve(folder, build.path) === target)
  const overrides = Object.entries(flags).map(([key, value]) =>
    key === 'files' || key === 'symbols' ? [key, resolve(cwd, value)] : [key, value],
  )
  if (fitting.length === 0 && target === null) {
    throw new CliError(
      'usage',
      described.length === 0 ? 'There is nothing to push.' : `No build is called "${flags.name}".`,
      {
        hint: 'Name a folder or zip, such as "shelf push dist/linux --os linux --arch x86_64", or run "shelf init".',
      },
    )
  }
  const bases = fitting.length === 0 && target !== null ? [{ path: target }] : fitting
  return bases.map((base) => {
    const build: unknown = { ...base, ...Object.fromEntries(overrides) }
    if (Value.Check(ShelfBuild, build)) return build
    const [fault] = [...Value.Errors(ShelfBuild, build)]
    throw new CliError('usage', describeFault(fault?.path.slice(1) ?? '', fault?.value))
  })
}

function describeFault(field: string, value: unknown): string {
  const flag = `--${field.replaceAll('_', '-')}`
  return value === undefined ? `${flag} is missing.` : `${flag} has the wrong form: ${show(value)}.`
}

interface Shared {
  version: string
  channel: string | undefined
  items: ChangelogItem[] | undefined
  includeSecrets: boolean
}

async function planBuild(build: ShelfBuild, folder: string, shared: Shared): Promise<PlannedBuild> {
  const { path: given, filename, files, symbols = [], channel, app = MAIN_APP } = build
  const { os, arch, app_name, build_type, title, description, engine_version, launch } = build
  const path = resolve(folder, given)
  const info = await unlessMissing(stat(path))
  if (!info) throw new CliError('files', `${given} does not exist.`, { hint: 'Run your build first.' })
  const isZip = info.isFile()
  if (isZip && !/\.zip$/i.test(path)) throw new CliError('usage', `${given} is neither a folder nor a .zip.`)
  if (isZip && files !== undefined)
    throw new CliError('usage', `"files" is for folders, but ${given} is a zip.`)
  const { version, items, includeSecrets } = shared
  return {
    name: nameOf(build),
    registration: {
      version,
      os,
      arch,
      app,
      ...(app_name !== undefined && { app_name }),
      ...(build_type !== undefined && { build_type }),
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(engine_version !== undefined && { engine_version }),
      ...(launch !== undefined && { launch: typeof launch === 'string' ? { path: launch } : launch }),
      channel: channel ?? shared.channel ?? STABLE,
      ...(items && { changelog_items: items }),
    },
    path,
    isZip,
    filename: filename ?? (isZip ? basename(path) : `${nameOf(build)}.zip`),
    fileList: files === undefined ? null : resolve(folder, files),
    includeSecrets,
    symbols: [symbols].flat().map((symbol) => resolve(folder, symbol)),
  }
}

function nameOf({ name, os, arch }: Pick<ShelfBuild, 'name' | 'os' | 'arch'>): string {
  return name ?? `${os}-${arch}`
}

async function readItems(
  { changelog: text, shelfJson, onWarning }: PlanOptions,
  version: string,
  folder: string,
): Promise<ChangelogItem[] | undefined> {
  if (text !== undefined) return readChangelogText(text)
  const source = shelfJson?.content.changelog
  if (source === undefined) return undefined
  if (typeof source !== 'string') return source.map(({ title, description = '' }) => ({ title, description }))
  const items = readChangelog(await readFile(resolve(folder, source), 'utf8'), version)
  if (items === null) onWarning(`${source} has no section for version ${version}.`)
  return items ?? undefined
}

/** Two files of one name in one build: the second would replace the first. */
function requireDistinct(builds: readonly PlannedBuild[]): void {
  const seen = new Map<string, string>()
  for (const { name, filename, registration } of builds) {
    const { app, os, arch, channel, build_type = '' } = registration
    const key = [app, os, arch, channel, build_type, filename].join('\n')
    const other = seen.get(key)
    if (other !== undefined) {
      throw new CliError(
        'usage',
        `The builds "${other}" and "${name}" would replace each other as ${filename}.`,
        {
          hint: 'Give each its own "name", "filename" or "app" in shelf.json.',
        },
      )
    }
    seen.set(key, name)
  }
}
