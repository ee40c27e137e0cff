import { join } from 'node:path'

import { bundleScript } from '../../../lib/bundle-script.ts'

/** The bundled texts. `bun run build` replaces this module with its result. */
export const SDK_SCRIPTS = {
  sdk: await bundleScript(join(import.meta.dir, 'sdk.client.ts')),
  saves: await bundleScript(join(import.meta.dir, 'saves.client.ts')),
}
