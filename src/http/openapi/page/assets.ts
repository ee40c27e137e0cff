import { sha256Hex } from '../../../lib/hash.ts'
import script from './client.js' with { type: 'text' }

import content from './content.css' with { type: 'text' }
import layout from './layout.css' with { type: 'text' }
import theme from './theme.css' with { type: 'text' }

export interface Asset {
  /** Changes with the text, so that browsers may keep it for ever. */
  path: string
  text: string
}

export const STYLE = createAsset(theme + layout + content, 'css')
export const SCRIPT = createAsset(script, 'js')

function createAsset(text: string, extension: string): Asset {
  return { path: `/docs/${sha256Hex(text).slice(0, 12)}.${extension}`, text }
}
