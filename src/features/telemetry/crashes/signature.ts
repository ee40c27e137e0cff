import type { CrashFrame } from '../../../domain/crash-frames.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { SIGNATURE_MAX } from './model.ts'

/** Deeper down many different crashes look alike, and one crash looks different from device to device. */
export const TOP_FRAMES = 3
const HASH_CHARACTERS = 16

/** Where crashes are counted when a game had too many new kinds on one day. */
export const OTHER_KINDS = 'other kinds of crashes'

/** What makes crashes one kind where the game does not tell: `SIGSEGV | game.exe!load_level | game.exe+0x1f40`. */
export function signatureOf(reason: string, frames: readonly CrashFrame[]): string {
  const signature = [reason, ...frames.slice(0, TOP_FRAMES).map(nameOf)].join(' | ')
  if (signature.length <= SIGNATURE_MAX) return signature
  const hash = sha256Hex(signature).slice(0, HASH_CHARACTERS)
  return `${signature.slice(0, SIGNATURE_MAX - HASH_CHARACTERS - 2).toWellFormed()} #${hash}`
}

function nameOf({ module, offset, function: name }: CrashFrame): string {
  return name ? `${module}!${name}` : `${module}+0x${offset.toString(16)}`
}
