import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  CORNERS,
  DENSITIES,
  FONT_PART_NAMES,
  type FontPart,
  type Looks,
  TYPEFACE_NAMES,
  type TypefaceName,
  writeLooks,
} from '../../domain/looks.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'

/** Next to this file, or embedded in the binary. */
const FOLDER = join(import.meta.dir, 'typefaces')
const HASH_LENGTH = 8
const SHEET_FILE = /^([a-z]+)-([a-z]+)-([a-z]+)\.[0-9a-f]{8}\.css$/

/** The path contains a hash of the sheet, so that browsers can cache it forever; null for the default looks. */
export function looksPath({ typeface, corner, density }: Looks): string | null {
  const text = writeLooks({ typeface, corner, density }, fontPath)
  if (text === '') return null
  return `/assets/looks/${typeface}-${corner}-${density}.${hashOf(text)}.css`
}

/** The style sheet at this path; null if it is of another version or of looks that do not exist. */
export function parseLooks(file: string): string | null {
  const [, typeface = '', corner = '', density = ''] = SHEET_FILE.exec(file) ?? []
  if (typeface !== 'system' && !TYPEFACE_NAMES.includes(typeface as TypefaceName)) return null
  if (!Object.hasOwn(CORNERS, corner) || !Object.hasOwn(DENSITIES, density)) return null
  const looks = { typeface, corner, density } as Looks
  return looksPath(looks)?.endsWith(`/${file}`) ? writeLooks(looks, fontPath) : null
}

/** Loaded with every page: nearly all have a Latin character. */
export function listPreloadedFonts({ typeface }: Pick<Looks, 'typeface'>): string[] {
  return typeface === 'system' ? [] : [fontPath(typeface, 'latin')]
}

/** The bytes of a font; null if it does not exist under this name. */
export function findFont(file: string): Uint8Array<ArrayBuffer> | null {
  for (const name of TYPEFACE_NAMES)
    for (const part of FONT_PART_NAMES)
      if (file.startsWith(`${name}-${part}.`) && fontPath(name, part).endsWith(`/${file}`))
        return loadFont(name, part).bytes
  return null
}

function fontPath(name: TypefaceName, part: FontPart): string {
  return `/assets/fonts/${name}-${part}.${loadFont(name, part).hash}.woff2`
}

interface Font {
  bytes: Uint8Array<ArrayBuffer>
  hash: string
}
/** At most 300 KB, and only of typefaces that somebody has looked at. */
const fonts = new Map<string, Font>()

function loadFont(name: TypefaceName, part: FontPart): Font {
  const file = `${name}-${part}.woff2`
  const known = fonts.get(file)
  if (known) return known
  const bytes = new Uint8Array(readFileSync(join(FOLDER, file)))
  const font = { bytes, hash: sha256Hex(bytes).slice(0, HASH_LENGTH) }
  fonts.set(file, font)
  return font
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, HASH_LENGTH)
}
