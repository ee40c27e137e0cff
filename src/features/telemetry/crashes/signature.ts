import type { CrashFrame } from '../../../domain/builds/crash-frames.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { SIGNATURE_MAX } from './model.ts'

/** Deeper frames are alike for different crashes, and differ between devices for the same crash. */
export const TOP_FRAMES = 3
const HASH_CHARACTERS = 16

/** The group for new kinds of crashes beyond a game's daily quota. */
export const OTHER_KINDS = 'other kinds of crashes'

/** The default signature: `SIGSEGV | game.exe!load_level | game.exe+0x1f40`. */
export function signatureOf(reason: string, frames: readonly CrashFrame[]): string {
  const signature = [reason, ...frames.slice(0, TOP_FRAMES).map(nameOf)].join(' | ')
  if (signature.length <= SIGNATURE_MAX) return signature
  const hash = sha256Hex(signature).slice(0, HASH_CHARACTERS)
  return `${signature.slice(0, SIGNATURE_MAX - HASH_CHARACTERS - 2).toWellFormed()} #${hash}`
}

function nameOf({ module, offset, function: name }: CrashFrame): string {
  return name ? `${module}!${name}` : `${module}+0x${offset.toString(16)}`
}
