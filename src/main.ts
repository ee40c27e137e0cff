import './config/production.ts'

import { parseArgs } from 'node:util'

import type { RestoreOptions } from './commands/backup.ts'
import { createContext, withDeps } from './commands/context.ts'
import { ConfigError, namedLocalhost, parseConfig } from './config/config.ts'
import { VERSION } from './lib/version.ts'

const USAGE = `playshelf ${VERSION}

  serve                run the server (ROLE: all, api, upload or worker)
  up                   serve with demo data, for a first look
  migrate              bring the database to this version's schema
  reindex              rebuild the search index
  doctor [--ready]     check every configured service and say what to do about each fault
  demo [--count <n>]   load the demo data; with a count also that many made-up listings
  operator list | add <email> | remove <email>
                       name the accounts that run the store, at /operate
  settings export <file> | import <file> [--yes]
                       write what operators set to a file, or read it back: says what would change and asks
  keys list | rotate   show the keys that sign statements about files; rotate: sign with a new one
  digests --now        send every digest that has something new, whatever the hour, once a day at most
  backup <file>        write the embedded data to one archive, also while the server runs
  restore <file> [--key-file <file>] [--unverified]
                       bring such an archive back into an empty DATA_DIR, with the SECRET_KEY of its store
  sweep [--confirm]    list the stored objects that no row names any more; with --confirm remove them
  adopt-storage [--confirm]
                       check that the object store belongs to this database; with --confirm give it to it

Configuration comes from the environment: see infra/docs/configuration.md.`

/** Returns the exit code. */
async function main(command: string | undefined, options: readonly string[]): Promise<number> {
  if (command === undefined || ['help', '--help', '-h'].includes(command)) return say(USAGE, command ? 0 : 2)
  if (['version', '--version', '-v'].includes(command)) return say(VERSION)
  const context = createContext(parseConfig(process.env))
  // Each command loads what it needs: a server that starts has no use for the others.
  switch (command) {
    case 'serve': {
      const { runUntilSignal } = await import('./commands/serve.ts')
      const { printSetupAddress } = await import('./commands/accounts.ts')
      return await runUntilSignal(context, printSetupAddress)
    }
    case 'up': {
      const { runUntilSignal } = await import('./commands/serve.ts')
      const { describeDemoSignIns, loadDemo } = await import('./commands/demo.ts')
      const named = { ...context, parsed: namedLocalhost(context.parsed) }
      return await runUntilSignal(named, async (deps, url) => {
        console.log('Loading the demo data …')
        console.log(await loadDemo(deps))
        console.log(`\nPlayshelf runs at ${url}\n\n${describeDemoSignIns(deps)}\n\nStop it with Ctrl-C.\n`)
      })
    }
    case 'migrate': {
      const { runMigrate } = await import('./commands/reindex.ts')
      return say(await runMigrate(context))
    }
    case 'reindex': {
      const { inBackground } = await import('./commands/context.ts')
      const { runReindex } = await import('./commands/reindex.ts')
      return say(await withDeps(context, inBackground(runReindex)))
    }
    case 'doctor': {
      const { checkReady, runDoctor } = await import('./commands/doctor.ts')
      return (await (options.includes('--ready') ? checkReady(context.parsed) : runDoctor(context))) ? 0 : 1
    }
    case 'demo': {
      const { inBackground } = await import('./commands/context.ts')
      const { parseCount, runDemo } = await import('./commands/demo.ts')
      const count = parseCount(options)
      const work = inBackground((deps) => runDemo(deps, count))
      return say(await withDeps(context, work))
    }
    case 'operator': {
      const { runOperator } = await import('./commands/accounts.ts')
      return say(await withDeps(context, (deps) => runOperator(deps, options)))
    }
    case 'settings': {
      const { runSettings } = await import('./commands/settings.ts')
      return say(await withDeps(context, (deps) => runSettings(deps, options)))
    }
    case 'keys': {
      const { runKeys } = await import('./commands/keys.ts')
      return say(await withDeps(context, (deps) => runKeys(deps, options)))
    }
    case 'digests': {
      const { runDigests } = await import('./commands/digests.ts')
      return say(await withDeps(context, (deps) => runDigests(deps, options)))
    }
    case 'backup': {
      const { backup } = await import('./commands/backup.ts')
      return say(await backup(context, options[0]))
    }
    case 'restore': {
      const { restore } = await import('./commands/backup.ts')
      return say(await restore(context, options[0], parseRestoreOptions(options.slice(1))))
    }
    case 'sweep': {
      const { runSweep } = await import('./commands/objects.ts')
      return say(await withDeps(context, (deps) => runSweep(deps, parseConfirm(command, options))))
    }
    case 'adopt-storage': {
      const { runAdoptStorage } = await import('./commands/objects.ts')
      return say(await withDeps(context, (deps) => runAdoptStorage(deps, parseConfirm(command, options))))
    }
    default:
      return say(`Unknown command "${command}".\n\n${USAGE}`, 2)
  }
}

function parseConfirm(command: string, options: readonly string[]): boolean {
  if (options.every((option) => option === '--confirm')) return options.length > 0
  throw new Error(`${command} takes only --confirm.`)
}

function parseRestoreOptions(options: readonly string[]): RestoreOptions {
  const { values } = parseArgs({
    args: [...options],
    options: { 'key-file': { type: 'string' }, unverified: { type: 'boolean', default: false } },
  })
  const keyFile = values['key-file']
  return { isUnverified: values.unverified, ...(keyFile !== undefined && { keyFile }) }
}

function say(text: string, code = 0): number {
  console.log(text)
  return code
}

function explain(error: unknown): void {
  if (error instanceof ConfigError) {
    console.error(
      ['The configuration is not valid:', ...error.faults.map((fault) => `  ${fault}`)].join('\n'),
    )
  } else {
    console.error(error instanceof Error ? error.message : String(error))
  }
}

try {
  process.exit(await main(process.argv[2], process.argv.slice(3)))
} catch (error) {
  explain(error)
  process.exit(1)
}
