import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'

import { Value } from '@sinclair/typebox/value'

import {
  CHANGELOG_ITEMS_MAX,
  type ChangelogItem,
  ITEM_DESCRIPTION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from '../../domain/builds/build-fields.ts'
import { MAIN_APP, STABLE } from '../../domain/builds/channels.ts'
import type { Launch } from '../../domain/builds/launch.ts'
import { parseSaveFiles, type SaveFiles } from '../../domain/builds/save-files.ts'
import { ShelfBuild, type ShelfFile } from '../../domain/builds/shelf-file.ts'
import { cutAtWord } from '../../lib/text/characters.ts'
import { textOfMarkdown } from '../../lib/text/markdown.ts'
import { show } from '../../lib/text/show.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'
import type { ShelfJson } from '../settings/settings.ts'

/** The version from the command line or from `shelf.json`: a text, a file, or the newest tag. */
async function readVersion(
  flag: string | undefined,
  source: ShelfFile['version'],
  folder: string,
): Promise<string> {
  const version = flag ?? (await readSource(source, folder))
  if (version.length > 0 && version.length <= VERSION_MAX) return version
  throw new CliError('usage', `The version "${version}" must have 1 to ${VERSION_MAX} characters.`)
}

async function readSource(source: ShelfFile['version'], folder: string): Promise<string> {
  if (typeof source === 'string') return source
  if (source === undefined) {
    throw new CliError('usage', 'The version is missing.', {
      hint: 'Use --version 1.2.0, or set "version" in shelf.json.',
    })
  }
  if ('git' in source) return await describeCommit(folder)
  const text = await readFile(resolve(folder, source.file), 'utf8')
  return text.split('\n', 1)[0]?.trim() ?? ''
}

async function describeCommit(folder: string): Promise<string> {
  const git = Bun.which('git')
  if (git === null) throw new CliError('usage', 'The version comes from git, but git is not installed.')
  const child = Bun.spawn([git, 'describe', '--tags'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code === 0) return text.trim().replace(/^v(?=\d)/, '')
  throw new CliError('usage', `The version comes from git, but git found none: ${problem.trim()}`, {
    hint: 'Tag a commit, such as "git tag v1.2.0"; in CI, fetch the tags too.',
  })
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/

/** The list items of the section of this version; null if the text has no such section. */
export function parseChangelog(markdown: string, version: string): ChangelogItem[] | null {
  const lines = markdown.split(/\r?\n/)
  const start = lines.findIndex((line) => isHeadingOf(line, version))
  if (start === -1) return null
  const level = HEADING.exec(lines[start] ?? '')?.[1]?.length ?? 1
  const length = lines.slice(start + 1).findIndex((line) => (HEADING.exec(line)?.[1]?.length ?? 7) <= level)
  return parseItems(length === -1 ? lines.slice(start + 1) : lines.slice(start + 1, start + 1 + length))
}

/** Text from the command line: its list items, or else its lines. */
export function parseChangelogText(text: string): ChangelogItem[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const items = parseItems(lines)
  return items.length > 0 ? items : lines.slice(0, CHANGELOG_ITEMS_MAX).map((line) => toItem([line]))
}

function isHeadingOf(line: string, version: string): boolean {
  const text = HEADING.exec(line)?.[2]
  if (text === undefined) return false
  return text.split(/[\s[\](),:]+/).some((word) => word === version || word === `v${version}`)
}

/** Indented lines after an item belong to it; its first line is the title. */
function parseItems(lines: readonly string[]): ChangelogItem[] {
  const items: string[][] = []
  for (const line of lines) {
    const first = ITEM.exec(line)?.[1]
    if (first !== undefined) items.push([first])
    else if (/^\s+\S/.test(line)) items.at(-1)?.push(line.trim())
  }
  return items.slice(0, CHANGELOG_ITEMS_MAX).map(toItem)
}

function toItem([first = '', ...rest]: readonly string[]): ChangelogItem {
  const title = textOfMarkdown(first)
  const cut = cutAtWord(title, TITLE_MAX)
  const description = [...(cut === title ? [] : [title]), ...rest].join('\n')
  return { title: cut, description: description.slice(0, ITEM_DESCRIPTION_MAX) }
}

/** Fields of a build that the command line can set, named as in `shelf.json`. */
export type BuildFlags = Partial<Record<keyof ShelfBuild, string>>

interface PlanOptions {
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
interface Registration {
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
  saves?: SaveFiles
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
  const saves = checkSaves(shelfJson?.content.saves)
  const builds = await Promise.all(
    chosen.map((build) => planBuild(build, folder, { version, channel, items, saves, includeSecrets })),
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
    throw describeFault(fault?.path.slice(1) ?? '', fault?.value, fault?.schema.description)
  })
}

function describeFault(field: string, value: unknown, hint: string | undefined): CliError {
  const flag = `--${field.replaceAll('_', '-')}`
  const message = value === undefined ? `${flag} is missing.` : `${flag} has the wrong form: ${show(value)}.`
  return new CliError('usage', message, hint === undefined ? {} : { hint })
}

interface Shared {
  version: string
  channel: string | undefined
  items: ChangelogItem[] | undefined
  saves: SaveFiles | undefined
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
  const { version, items, saves, includeSecrets } = shared
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
      ...(saves && { saves }),
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
  if (text !== undefined) return parseChangelogText(text)
  const source = shelfJson?.content.changelog
  if (source === undefined) return undefined
  if (typeof source !== 'string') return source.map(({ title, description = '' }) => ({ title, description }))
  const items = parseChangelog(await readFile(resolve(folder, source), 'utf8'), version)
  if (items === null) onWarning(`${source} has no section for version ${version}.`)
  return items ?? undefined
}

/** As the store will check them. */
function checkSaves(saves: ShelfFile['saves']): SaveFiles | undefined {
  if (saves === undefined) return undefined
  const faults: string[] = []
  const parsed = parseSaveFiles(saves, (path, message) =>
    faults.push(`  ${['saves', ...path].join('.')} ${message}`),
  )
  if (faults.length === 0) return parsed
  throw new CliError('usage', `The saves of shelf.json are not valid:\n${faults.join('\n')}`, {
    hint: 'The chapter Saves of the documentation says what a pattern may name.',
  })
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
