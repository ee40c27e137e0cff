import { type Argument, Command, InvalidArgumentError, Option } from 'commander'

import { ARCHITECTURES, OPERATING_SYSTEMS } from '../domain/builds/platforms.ts'
import { ShelfBuild } from '../domain/builds/shelf-file.ts'
import { parseBytes } from '../lib/text/show.ts'
import { VERSION } from '../lib/version.ts'
import { CliError } from './cli-error.ts'
import { completions } from './commands/completions.ts'
import { files, images, symbols } from './commands/files.ts'
import { get, list, update } from './commands/get.ts'
import { CI_PROVIDERS, init } from './commands/init.ts'
import { builds, channels, status } from './commands/list.ts'
import { login, logout, signin, signout } from './commands/login.ts'
import { notices } from './commands/notices.ts'
import { push, type PushOptions } from './commands/push.ts'
import { remove } from './commands/remove.ts'
import { run as runGame } from './commands/run.ts'
import { SAVE_ACTIONS, type SaveAction, saves } from './commands/saves.ts'
import { verify } from './commands/verify.ts'
import type { Context } from './context.ts'
import type { BuildFlags } from './push/plan.ts'

const CHUNK_MIN = 1024 ** 2
const CHUNK_MAX = 1024 ** 3
const BUILD_FLAGS = {
  name: '--name <name>',
  channel: '--channel <channel>',
  app: '--app <slug>',
  app_name: '--app-name <name>',
  build_type: '--build-type <type>',
  title: '--title <text>',
  description: '--description <text>',
  engine_version: '--engine-version <version>',
  filename: '--filename <name.zip>',
  files: '--files <file list>',
  symbols: '--symbols <path>',
} as const

const SAVES_ABOUT = `${SAVE_ACTIONS.join(', ')} the saves of a game in your account`
const INCLUDE_SECRETS = ['--include-secrets', 'pack .env, .npmrc, private keys and .git too'] as const

/** Runs a command once the options that all commands share are known. */
type Run = (command: Command, action: (context: Context) => Promise<void>) => Promise<void>

/** All commands, with their options. */
export function createProgram(run: Run): Command {
  const program = new Command('shelf')
    .description('Uploads builds of your game to a store, and installs games from one.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .enablePositionalOptions()
    // Narrow terminals wrap too.
    .configureHelp({ minWidthToWrap: 10, subcommandTerm: describeUsage })
    .addHelpText(
      'after',
      '\nFirst push:\n  shelf login\n  shelf init\n  shelf push\n\nFirst game:\n  shelf signin\n  shelf get <game>\n  shelf run <game>',
    )
  addCommonOptions(program)

  const add = (usage: string, about: string, hasServer = true): Command => {
    const command = program.command(usage).description(about).helpOption('-h, --help', 'show help')
    if (hasServer)
      command.option('--server <url>', 'address of the store').option('--game <name>', 'game, by name or uid')
    return addCommonOptions(command)
  }

  const loginCommand = add('login', 'save a deploy key for a game')
    .option('--stdin', 'read access token and secret key as two lines')
    .action((options) => run(loginCommand, (context) => login(context, options)))
  const logoutCommand = add('logout', 'forget saved deploy keys').action((options) =>
    run(logoutCommand, (context) => logout(context, options)),
  )
  const initCommand = addPlatform(add('init', 'write shelf.json'))
    .option('--path <path>', 'folder or zip to upload')
    .option('--channel <channel>', 'channel of the builds')
    .addOption(new Option('--ci <provider>', 'write its pipeline instead').choices(CI_PROVIDERS))
    .option('--force', 'overwrite an existing file')
    .action((options) => run(initCommand, (context) => init(context, options)))
  const filesCommand = add('files [path]', 'write the file list shelf.files.json', false)
    .option('--name <name>', 'build of shelf.json')
    .option('--check', 'compare with the list instead')
    .option('--dry-run', 'show what would be packed')
    .option(...INCLUDE_SECRETS)
    .action((path, options) => run(filesCommand, (context) => files(context, path, options)))
  addPush(add('push [path]', 'register, pack and upload builds'), run)
  const statusCommand = add('status [build_id]', 'show a build and its scans')
    .option('--wait', 'wait until the scan ended')
    .action((id, options) => run(statusCommand, (context) => status(context, id, options)))
  const buildsCommand = add('builds', 'list the builds, newest first').action((options) =>
    run(buildsCommand, (context) => builds(context, options)),
  )
  const channelsCommand = add('channels', 'list the channels and their builds').action((options) =>
    run(channelsCommand, (context) => channels(context, options)),
  )
  const symbolsCommand = add('symbols <path...>', 'upload every .sym of files and folders')
    .requiredOption('--build <build_id>', 'build of the symbols')
    .action((paths, options) => run(symbolsCommand, (context) => symbols(context, paths, options)))
  const imagesCommand = add('images', 'upload store images')
    .option('--cover <file>', 'cover')
    .option('--thumbnail <file>', 'thumbnail')
    .option('--gallery <file...>', 'pictures for the gallery')
    .action((options) => run(imagesCommand, (context) => images(context, options)))
  const verifyCommand = add('verify <zip-or-game>', 'check a zip, or every file of an installed game')
    .option('--file <file_uid>', 'file of the store that the zip must be; found by its bytes if left out')
    .option('--repair', 'fetch the broken and missing files of the game')
    .option('--limit-rate <size>', 'bytes per second, such as 2MB', parseSize)
    .action((subject, options) => run(verifyCommand, (context) => verify(context, subject, options)))
  addPlayerCommands(add, run)
  const completionsCommand = add(
    'completions <shell>',
    'print completions for bash, zsh or fish',
    false,
  ).action((shell) =>
    run(completionsCommand, async ({ output }) => {
      const script = completions(program, shell)
      output.result(script)
      output.json({ script })
    }),
  )
  return program
}

/** Without "[options]", which all of them have. */
function describeUsage(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(showArgument)].join(' ')
}

function showArgument(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

function addCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no progress and notes')
    .option('--no-color', 'print without colors')
}

function addPlatform(command: Command): Command {
  return command
    .addOption(new Option('--os <os>', 'operating system').choices(OPERATING_SYSTEMS))
    .addOption(new Option('--arch <arch>', 'architecture').choices(ARCHITECTURES))
}

/** For players, launchers and game servers. */
function addPlayerCommands(
  add: (usage: string, about: string, hasServer?: boolean) => Command,
  run: Run,
): void {
  const server = ['--server <url>', 'address of the store'] as const
  const rate = ['--limit-rate <size>', 'bytes per second, such as 2MB', parseSize] as const
  const yes = ['--yes', 'keep the saves of this game in your account without asking'] as const
  const mine = ['--mine', 'if a save changed on both sides: use what is here'] as const
  const theirs = ['--theirs', 'if a save changed on both sides: use what is in your account'] as const
  const signinCommand = add('signin', 'sign in as a player, by the browser', false)
    .option(...server)
    .option('--key-stdin', 'read a player key from standard input instead')
    .option('--no-browser', 'only print the address')
    .action((options) => run(signinCommand, (context) => signin(context, options)))
  const signoutCommand = add('signout', 'forget the player', false)
    .option(...server)
    .action((options) => run(signoutCommand, (context) => signout(context, options)))
  const getCommand = addPlatform(add('get <game>', 'install a game', false))
    .option(...server)
    .option('--into <folder>', 'where to; ~/Games/<game> if left out')
    .option('--channel <channel>', 'stable if left out')
    .option('--app <slug>', 'such as server; the game itself if left out')
    .option('--version <version>', 'only this version')
    .option(...rate)
    .action((game, options) => run(getCommand, (context) => get(context, game, options)))
  const updateCommand = add('update [game...]', 'update installed games, all without names', false)
    .option('--check', 'only tell; ends with 9 if there is something')
    .option('--channel <channel>', 'change to this channel')
    .option(...rate)
    .action((games, options) => run(updateCommand, (context) => update(context, games, options)))
  const listCommand = add('list', 'list installed games', false).action(() => run(listCommand, list))
  const noticesCommand = add('notices', 'list what is new in what you follow', false)
    .option(...server)
    .option('--unread', 'only what you have not read')
    .option('--mark-read', 'mark all up to the newest one as read')
    .action((options) => run(noticesCommand, (context) => notices(context, options)))
  const runCommand = add('run <game> [args...]', 'start an installed game', false)
    .option('--exe <path>', 'program in its folder; remembered')
    .option('--no-saves', 'neither fetch nor send saves')
    .option(...yes)
    .option(...mine)
    .option(...theirs)
    .action((game, args, options) => run(runCommand, (context) => runGame(context, game, args, options)))
  const savesCommand = add('saves <action> <game> [slot] [revision-or-file]', SAVES_ABOUT, false)
    .option(...server)
    .option('--revision <revision>', 'for export: this one instead of the current')
    .option(...yes)
    .option(...mine)
    .option(...theirs)
    .action((text, game, slot, what, options) =>
      run(savesCommand, (context) => saves(context, parseAction(text), { game, slot, what, options })),
    )
  const removeCommand = add('remove <game>', 'remove an installed game', false)
    .option('--keep-extra', 'keep files that were not installed')
    .option('--yes', 'delete them without asking')
    .action((game, options) => run(removeCommand, (context) => remove(context, game, options)))
}

function addPush(command: Command, run: Run): void {
  addPlatform(command)
  for (const [field, flag] of Object.entries(BUILD_FLAGS)) {
    const { description = '' } = ShelfBuild.properties[field as keyof typeof BUILD_FLAGS]
    command.option(flag, description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, ''))
  }
  command
    .option('--version <version>', 'version of the builds')
    .option('--changelog <text>', 'what is new, one item per line')
    .option('--wait', 'wait until the scan ended')
    .option('--if-changed', 'skip builds whose bytes the channel has')
    .option('--dry-run', 'show what would be pushed')
    .option(...INCLUDE_SECRETS)
    .option('--chunk-size <size>', 'bytes per request, such as 16MB', parseChunkSize)
    .option('--limit-rate <size>', 'bytes per second, such as 2MB', parseSize)
    .action((path: string | undefined, options: PushOptions & Record<string, string | undefined>) =>
      run(command, (context) => push(context, path, { ...options, build: parseBuildFlags(options) })),
    )
}

function parseBuildFlags(options: Record<string, unknown>): BuildFlags {
  const names = ['os', 'arch', ...Object.keys(BUILD_FLAGS)]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function parseAction(text: string): SaveAction {
  const action = SAVE_ACTIONS.find((one) => one === text)
  if (action !== undefined) return action
  throw new CliError('usage', `"shelf saves ${text}" is not known.`, {
    hint: `There is: ${SAVE_ACTIONS.join(', ')}.`,
  })
}

function parseSize(text: string): number {
  const size = parseBytes(text)
  if (size === null || size < 1) throw new InvalidArgumentError('Write it as 2MB, 500kB or 1048576.')
  return size
}

function parseChunkSize(text: string): number {
  const size = parseSize(text)
  if (size < CHUNK_MIN || size > CHUNK_MAX) throw new InvalidArgumentError('It must be between 1MB and 1GB.')
  return size
}
