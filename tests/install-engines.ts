import { installEngines } from './helpers/engines/install.ts'
import { findNeededEngines, findTestFiles } from './helpers/engines/needs.ts'
import { findAbsentEngines } from './helpers/engines/start-engines.ts'

/** Installs what the whole suite needs, so that `.ci/run` downloads while its checks use the cores. */
await installEngines(findAbsentEngines(await findNeededEngines(await findTestFiles([]))))
