import { isObject } from '../../lib/field-readers.ts'
import { show } from '../../lib/text/show.ts'
import { parseSlotName, SLOT_NAME_MAX } from '../saves.ts'
import {
  fold,
  isSingleFile,
  parseSavePattern,
  SAVE_SYSTEMS,
  type SavePattern,
  SavePatternError,
  type SaveSystem,
  shareFiles,
  shareNames,
} from './save-patterns.ts'

/** Which files belong to a save: patterns by slot and system. */
export interface SaveFiles {
  slots: Record<string, Partial<Record<SaveSystem, string[]>>>
}

/** Of all slots and systems of a build. */
export const SAVE_PATTERNS_MAX = 20

/** The message continues after the name of the field. */
export type ReportSaves = (path: readonly (string | number)[], message: string) => void

/** A slot with its patterns on one system. */
export interface SaveSlot {
  name: string
  patterns: SavePattern[]
  /** The bytes of one file, else a zip. */
  isSingle: boolean
}

/** Reports everything that is wrong. The store reads registrations with it, and `shelf` what it is told by a store. */
export function parseSaveFiles(value: unknown, report: ReportSaves): SaveFiles {
  const saves: SaveFiles = { slots: {} }
  if (!isObject(value) || !isObject(value['slots'])) {
    report([], 'must be an object with slots, and in each of them patterns for linux, windows or macos.')
    return saves
  }
  for (const name of Object.keys(value))
    if (name !== 'slots') report([name], 'is not a known field; there is slots.')
  if (Object.keys(value['slots']).length > SAVE_PATTERNS_MAX) {
    report(['slots'], `must have at most ${SAVE_PATTERNS_MAX} slots.`)
    return saves
  }
  const parsed: SaveSlot[] = []
  let count = 0
  for (const [name, systems] of Object.entries(value['slots'])) {
    if (parseSlotName(name) === null)
      report(['slots', name], `must be called by a file name of 1 to ${SLOT_NAME_MAX} characters.`)
    if (!isObject(systems)) {
      report(['slots', name], `must be an object with patterns for ${SAVE_SYSTEMS.join(', ')}.`)
      continue
    }
    const slot: Partial<Record<SaveSystem, string[]>> = {}
    for (const [key, texts] of Object.entries(systems)) {
      const path = ['slots', name, key]
      const system = SAVE_SYSTEMS.find((one) => one === key)
      if (system === undefined) {
        report(path, `is not a known system; there are ${SAVE_SYSTEMS.join(', ')}.`)
        continue
      }
      if (!Array.isArray(texts) || texts.length === 0) {
        report(path, 'must be a list of patterns.')
        continue
      }
      count += texts.length
      if (count > SAVE_PATTERNS_MAX) {
        report([], `must have at most ${SAVE_PATTERNS_MAX} patterns in all.`)
        return saves
      }
      const patterns = parsePatterns(texts, system, path, report)
      slot[system] = patterns.map(({ text }) => text)
      if (patterns.length === texts.length)
        parsed.push({ name, patterns, isSingle: requireSeparate(patterns, path, report) })
    }
    Object.defineProperty(saves.slots, name, { value: slot, enumerable: true })
  }
  requireOneKind(parsed, report)
  requireOwnSlots(saves, report)
  return saves
}

function parsePatterns(
  texts: readonly unknown[],
  system: SaveSystem,
  path: readonly string[],
  report: ReportSaves,
): SavePattern[] {
  return texts.flatMap((text, index) => {
    if (typeof text !== 'string') {
      report([...path, index], `must be a pattern, not ${show(text)}.`)
      return []
    }
    try {
      return [parseSavePattern(text, system)]
    } catch (error) {
      if (!(error instanceof SavePatternError)) throw error
      report([...path, index], error.message)
      return []
    }
  })
}

/** In a save, files are named without the fixed folders of their pattern, so two folders must not have the same names. */
function requireSeparate(
  patterns: readonly SavePattern[],
  path: readonly string[],
  report: ReportSaves,
): boolean {
  for (const [index, pattern] of patterns.entries()) {
    const other = patterns.slice(0, index).find((one) => shareNames(one, pattern))
    if (other !== undefined)
      report(
        [...path, index],
        `can match files of the same names as ${show(other.text)}; give each folder a slot of its own.`,
      )
  }
  const [first] = patterns
  return patterns.length === 1 && first !== undefined && isSingleFile(first)
}

/** A slot is read on every system, so all of them must write the same kind of it. */
function requireOneKind(slots: readonly SaveSlot[], report: ReportSaves): void {
  for (const [name, own] of Map.groupBy(slots, (slot) => slot.name)) {
    if (new Set(own.map(({ isSingle }) => isSingle)).size > 1)
      report(
        ['slots', name],
        'is one file on one system and several on another; use a wildcard on all of them.',
      )
  }
}

/** A file of two slots would be overwritten by one of them. */
function requireOwnSlots({ slots }: SaveFiles, report: ReportSaves): void {
  const names = Object.keys(slots)
  for (const [index, name] of names.entries()) {
    const earlier = names.slice(0, index)
    if (earlier.some((one) => fold(one) === fold(name)))
      report(['slots', name], 'differs from another slot by case alone.')
    for (const system of SAVE_SYSTEMS) {
      const own = parseKnownPatterns(slots[name]?.[system], system)
      const others = earlier.flatMap((one) => parseKnownPatterns(slots[one]?.[system], system))
      if (own.some((pattern) => others.some((other) => shareFiles(pattern, other))))
        report(['slots', name, system], 'can match files of another slot; a file belongs to one slot.')
    }
  }
}

function parseKnownPatterns(texts: readonly string[] = [], system: SaveSystem): SavePattern[] {
  return texts.map((text) => parseSavePattern(text, system))
}

/** The slots that have patterns on this system. */
export function listSaveSlots({ slots }: SaveFiles, system: SaveSystem): SaveSlot[] {
  return Object.entries(slots).flatMap(([name, systems]) => {
    const patterns = parseKnownPatterns(systems[system], system)
    const [first] = patterns
    if (!first) return []
    return [{ name, patterns, isSingle: patterns.length === 1 && isSingleFile(first) }]
  })
}
