import { join } from 'node:path'

import type { ScannerSettings } from '../../domain/service-settings.ts'
import type { Logger } from '../../lib/log.ts'
import { createBuiltinScanner } from './builtin.ts'
import { createClamdScanner } from './clamd.ts'
import { createDenylist } from './denylist.ts'
import type { Scanner } from './scanner.ts'

/** Opens no connection before the first scan. */
export function openScanner(settings: ScannerSettings, dataDir: string, log: Logger): Scanner {
  if (settings.kind === 'builtin') {
    return createBuiltinScanner(createDenylist(join(dataDir, 'denylist.txt'), log))
  }
  return createClamdScanner(
    settings.kind === 'clamd' ? { host: settings.host, port: settings.port } : { path: settings.path },
  )
}
