import { sha256Hex } from './bytes/hash.ts'

/** A file that ships with the program and is served by it. */
export interface Asset {
  /** Contains a hash of the text, so that browsers can cache it forever. */
  path: string
  text: string
}

export function createAsset(folder: string, text: string, extension: 'css' | 'js'): Asset {
  return { path: `/${folder}/${sha256Hex(text).slice(0, 12)}.${extension}`, text }
}
