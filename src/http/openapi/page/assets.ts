import { createAsset } from '../../../lib/asset.ts'
import script from './client.js' with { type: 'text' }

import content from './content.css' with { type: 'text' }
import layout from './layout.css' with { type: 'text' }
import theme from './theme.css' with { type: 'text' }

export const STYLE = createAsset('docs', theme + layout + content, 'css')
export const SCRIPT = createAsset('docs', script, 'js')
