import { ENGINE_NAMES } from './helpers/engines/install.ts'
import { forgetEngines, KEPT_DIR, readKeptEngines, recordEngines } from './helpers/engines/kept.ts'
import { startEngines } from './helpers/engines/start-engines.ts'

/** Keeps every engine up until Ctrl-C, so that `bun run test` starts at once. */
if (Object.keys(await readKeptEngines()).length > 0) {
  console.log('The engines are already running in another terminal.')
  process.exit(1)
}
await forgetEngines()
const { env, missing, stop } = await startEngines(KEPT_DIR, ENGINE_NAMES)
await recordEngines(env)
if (missing.length > 0) console.log(`Not installed: ${missing.join(', ')}`)
console.log(
  `${Object.keys(env).join(', ')}\nThe engines are up. Run tests in another terminal; Ctrl-C stops them.`,
)
const leave = () =>
  void stop()
    .then(forgetEngines)
    .finally(() => process.exit(0))
process.once('SIGINT', leave).once('SIGTERM', leave)
setInterval(() => undefined, 1 << 30)
