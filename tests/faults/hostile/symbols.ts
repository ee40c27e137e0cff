import type { Random } from '../../../src/lib/random.ts'

const MODULE = 'game'
/** As many as a report may have. */
const FRAMES = 200
const FUNCTIONS = 100_000
/** Every function reaches to the end, so each offset lies in all that begin before it. */
const END = 0x100_0000

/** About 3 MB of functions that all overlap. */
export function hostileSymbols(): string {
  const lines = [`MODULE Linux x86_64 ${'0'.repeat(33)} ${MODULE}`]
  for (let at = 0; at < FUNCTIONS; at += 1)
    lines.push(`FUNC ${at.toString(16)} ${(END - at).toString(16)} 0 f${at}`)
  return `${lines.join('\n')}\n`
}

/** A crash at places that no report had before. */
export function hostileCrash(random: Random): string {
  const frames = Array.from({ length: FRAMES }, () => ({ module: MODULE, offset: random.below(END) }))
  return JSON.stringify({
    device_id: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    at: new Date().toISOString(),
    before_boot: false,
    reason: 'SIGSEGV',
    signature: crypto.randomUUID(),
    frames,
  })
}
