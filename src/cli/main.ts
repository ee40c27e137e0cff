import { homedir } from 'node:os'

import { type Command, CommanderError } from 'commander'

import { CliError, EXIT, toCliError } from './cli-error.ts'
import type { Context } from './context.ts'
import { createProgram } from './program.ts'
import { Output } from './ui/output.ts'

const { env } = process
const secrets = new Set<string>(
  [
    'SHELF_ACCESS_TOKEN',
    'SHELF_SECRET_KEY',
    'SHELF_PLAYER_KEY',
    'SHELF_ID_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  ].flatMap((name) => env[name] || []),
)
const stop = new AbortController()
const args = process.argv.slice(2)
let exitCode = 0

const code = await main()
for (const stream of [process.stdout, process.stderr]) {
  await new Promise((resolve) => stream.write('', resolve))
}
process.exit(code)

/** Returns the exit code. */
async function main(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new Error(signal)))
  }
  const program = createProgram(run)
  let problem = ''
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeErr: (text) => void (problem += text),
      outputError: (text) => void (problem += text),
    })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (args.length === 0) {
      process.stderr.write(problem)
      return EXIT.usage
    }
    const output = createOutput({ json: args.includes('--json'), color: !args.includes('--no-color') })
    if (error instanceof CommanderError) {
      const message = problem.trim().replace(/^error: /, '') || error.message
      output.fail(new CliError('usage', message, { hint: `See "${usageOf(program)}".` }))
      return EXIT.usage
    }
    const failure = stop.signal.aborted ? interrupted() : toCliError(error)
    output.fail(failure)
    return EXIT[failure.exit]
  }
}

/** How to see what the named command takes. */
function usageOf({ commands }: Command): string {
  const name = commands.find((command) => args.includes(command.name()))?.name()
  return name === undefined ? 'shelf help' : `shelf help ${name}`
}

async function run(command: Command, action: (context: Context) => Promise<void>): Promise<void> {
  const [own, shared] = [command.opts<CommonOptions>(), command.parent?.opts<CommonOptions>() ?? {}]
  const output = createOutput({
    json: own.json || shared.json,
    quiet: own.quiet || shared.quiet,
    color: own.color && shared.color,
  })
  const machine = { env, platform: process.platform, home: homedir() }
  const exitWith = (code: number) => void (exitCode = code)
  await action({ env, cwd: process.cwd(), machine, output, signal: stop.signal, secrets, exitWith })
}

interface CommonOptions {
  json?: boolean | undefined
  quiet?: boolean | undefined
  color?: boolean | undefined
}

function createOutput({ json = false, quiet = false, color = true }: CommonOptions): Output {
  return new Output({
    isJson: json,
    isQuiet: quiet,
    hasColor: color && !env.NO_COLOR && process.stderr.isTTY,
    secrets: () => [...secrets],
  })
}

function interrupted(): CliError {
  return new CliError('interrupted', 'Interrupted.', {
    hint: 'Run the same command again: it continues where it stopped.',
  })
}
