import { parseArgs } from 'node:util'

import { type EngineName, installEngines, listPackages } from '../helpers/engines/install.ts'
import type { Pace } from './compare.ts'
import { openEnvironment } from './environment.ts'
import { type Report, saveReport, startReport } from './report/report.ts'
import { formatTable } from './report/table.ts'
import { CHAPTER, mergeResults } from './report/write-results.ts'
import { SCENARIOS } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

const USAGE = `bun run bench [--json] [--write] [--seconds 3] [--rounds 5] [scenario …]

${SCENARIOS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n')}`

process.exit(await main(process.argv.slice(2)))

/** Returns the exit code: 1 only for scenarios that failed; missed targets are just reported. */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
    },
  })
  const unknown = positionals.filter((name) => SCENARIOS.every((scenario) => scenario.name !== name))
  const pace: Pace = { warmUpSeconds: 2, seconds: Number(values.seconds), rounds: Number(values.rounds) }
  if (values.help || unknown.length > 0 || !(pace.seconds >= 1 && pace.rounds >= 1)) {
    console.log(unknown.length > 0 ? `Unknown scenario: ${unknown.join(', ')}\n\n${USAGE}` : USAGE)
    return values.help ? 0 : 2
  }
  const chosen = SCENARIOS.filter(({ name, isLong }) =>
    positionals.length === 0 ? !isLong : positionals.includes(name),
  )
  const report = await measure(chosen, pace)
  const path = await saveReport(report)
  if (values.json) console.log(JSON.stringify(report, null, 2))
  else console.log(`\n${formatTable(report.lines)}\n\nAll figures: ${path}`)
  if (values.write) {
    const order = SCENARIOS.map(({ name }) => name)
    await Bun.write(CHAPTER, mergeResults(await Bun.file(CHAPTER).text(), report, order))
  }
  return report.broken.length === 0 ? 0 : 1
}

async function measure(scenarios: readonly Scenario[], pace: Pace): Promise<Report> {
  const report = startReport(pace)
  const needed = new Set(scenarios.flatMap(({ engines = [] }) => engines))
  const missing = await installEngines([...needed])
  const environment = await openEnvironment(pace)
  const leave = () => void environment.dispose().finally(() => process.exit(130))
  process.once('SIGINT', leave).once('SIGTERM', leave)
  try {
    for (const { name, about, engines = [], run } of scenarios) {
      console.error(`${name}: ${about}`)
      try {
        requireEngines(engines.filter((engine) => missing.includes(engine)))
        report.lines.push(...(await run(environment)))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        console.error(`${name} could not be measured: ${reason}`)
        report.broken.push({ scenario: name, reason })
      }
    }
    return report
  } finally {
    await environment.dispose()
  }
}

function requireEngines(missing: readonly EngineName[]): void {
  if (missing.length === 0) return
  const packages = listPackages(missing).join(' ')
  throw new Error(`${missing.join(', ')} cannot be started here${packages && `; install ${packages} first`}`)
}
