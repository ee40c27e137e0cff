import { countCharacters } from '../lib/text/characters.ts'
import { hasUnfitCharacter } from '../lib/text/names.ts'
import { requireSafePath } from '../lib/zip/paths.ts'
import { ZipError } from '../lib/zip/zip-error.ts'

/** Bytes of one save. */
export const SAVE_BYTES_MAX = 32 * 1024 ** 2
export const SLOTS_MAX = 200
/** With those in the bin, and those of which only refused revisions were kept. */
export const ALL_SLOTS_MAX = 1000
export const SLOT_NAME_MAX = 64
export const DEVICE_MAX = 80
export const SAVE_NOTE_MAX = 200

/** How long what is not current stays. */
export const BIN_DAYS = 30
export const REFUSED_DAYS = 30
export const DAILY_DAYS = 30
/** Each revision stays for this time. */
export const EVERY_HOURS = 24
/** The newest of a slot stay whatever their age. */
export const NEWEST_KEPT = 20

/** Studio pages tell nothing about fewer players. */
export const PLAYERS_SHOWN_FROM = 5

/** What Windows cannot write, and what would be a folder. */
const NOT_IN_FILES = /[/<>"|?*]/

/** The name in the form in which it is stored; null unless it can be the name of a file on every system. */
export function parseSlotName(text: string): string | null {
  const name = text.normalize('NFC')
  if (name.length > SLOT_NAME_MAX * 2 || countCharacters(name) > SLOT_NAME_MAX) return null
  if (!name.isWellFormed() || NOT_IN_FILES.test(name) || hasUnfitCharacter(name)) return null
  // Windows drops spaces and dots at the end.
  if (name !== name.trim() || name.endsWith('.')) return null
  try {
    requireSafePath(name)
    return name
  } catch (error) {
    if (error instanceof ZipError) return null
    throw error
  }
}
