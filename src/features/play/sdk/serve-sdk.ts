import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { SDK_SCRIPTS } from './scripts.ts'
import type { SdkFacts } from './types.ts'

const SDK_PATH = '/.playshelf/sdk.js'
/** Loaded by the other one when the game uses saves. */
const SAVES_PATH = '/.playshelf/saves.js'

const EXPORTS = 'export const { bootOk, event, crash, saves } = globalThis.playshelf\n'

export function isSdkPath(path: string): boolean {
  return path === SDK_PATH || path === SAVES_PATH
}

/** A plain script with the global `playshelf`, or for `import` a module that exports the same functions. */
export function sdkFor(path: string, { headers }: Request, facts: SdkFacts): string {
  if (path === SAVES_PATH) return SDK_SCRIPTS.saves
  const text = `(FACTS=>{${SDK_SCRIPTS.sdk}})(${JSON.stringify(facts)})\n`
  // Browsers fetch modules by CORS, and plain scripts without.
  return text + (headers.get('sec-fetch-mode') === 'cors' ? EXPORTS : '')
}

export function sdkTag(text: string): string {
  return `"${sha256Hex(text)}"`
}
