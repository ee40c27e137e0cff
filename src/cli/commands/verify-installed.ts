import { plural } from '../../lib/text/plural.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { inspectFiles } from '../install/inspect.ts'
import { describeResult, install, toTarget } from '../install/install.ts'
import { findInstalled, tellMine, withInstall } from '../install/open.ts'
import { readRecord } from '../install/record.ts'
import { connectPlayer } from '../player/connect.ts'
import { showResult } from './get.ts'

const SHOWN_MAX = 20

interface VerifyInstalledOptions {
  repair: boolean
  limitRate: number | undefined
  /** Of the command line. */
  server: string | undefined
}

/** Reads every installed file; with `repair`, fetches what is broken or missing. */
export async function verifyInstalled(
  context: Context,
  text: string,
  { repair, limitRate, server }: VerifyInstalledOptions,
): Promise<void> {
  const { output } = context
  const found = await findInstalled(context, text)
  const { folder } = found
  const check = async () => {
    const record = (await readRecord(folder)) ?? found.record
    const { files, game, version } = record
    using phase = output.phase(
      'checking',
      game.vanity_name,
      files.reduce((sum, { size }) => sum + size, 0),
    )
    const onFile = ({ size }: { size: number }) => {
      context.signal.throwIfAborted()
      phase.advance(size)
    }
    const states = await inspectFiles(folder, files, { isThorough: true, onFile })
    phase[Symbol.dispose]()
    const wrong = files.filter(({ path }) => states.get(path) !== 'intact').map(({ path }) => path)
    if (wrong.length === 0) {
      output.result(`${game.name} ${version} is complete: ${plural(files.length, 'file')} checked.`)
      output.json({ game: game.vanity_name, folder, version, files: files.length, wrong: [] })
      return
    }
    if (!repair) throw differs(game.name, wrong, states)
    const player = await connectPlayer(context, record.server, { isPatient: true, flag: server })
    const options = {
      player,
      target: toTarget(record),
      limitRate: limitRate ?? null,
      isRepair: true,
    } as const
    const result = await install(context, folder, options)
    tellMine(context, result.mine)
    output.result(`${plural(wrong.length, 'file')} repaired. ${describeResult(result)}`)
    output.json({ ...showResult(folder, result), repaired: wrong })
  }
  await withInstall(context, folder, check, repair ? 'exclusive' : 'shared')
}

function differs(name: string, wrong: readonly string[], states: ReadonlyMap<string, string>): CliError {
  const more = wrong.length > SHOWN_MAX ? [`and ${wrong.length - SHOWN_MAX} more`] : []
  const lines = wrong.slice(0, SHOWN_MAX).map((path) => `${path}: ${states.get(path)}`)
  const shown = [...lines, ...more].map((line) => `  ${line}`).join('\n')
  return new CliError('different', `${name} is not as it was installed:\n${shown}`, {
    hint: 'Fetch these files again with --repair; what you changed is kept beside them.',
  })
}
