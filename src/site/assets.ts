import { createAsset } from '../lib/asset.ts'
import script from './assets/client.js' with { type: 'text' }

import style from './assets/style.css' with { type: 'text' }

export const STYLE = createAsset('assets', style, 'css')
export const SCRIPT = createAsset('assets', script, 'js')
