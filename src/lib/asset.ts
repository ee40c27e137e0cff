import { sha256Hex } from './hash.ts'

/** A file that is part of the program and served by it. */
export interface Asset {
  /** Changes with the text, so that browsers may keep it for ever. */
  path: string
  text: string
}

export function createAsset(folder: string, text: string, extension: 'css' | 'js'): Asset {
  return { path: `/${folder}/${sha256Hex(text).slice(0, 12)}.${extension}`, text }
}
