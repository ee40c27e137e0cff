import { createAsset } from '../lib/asset.ts'
import { ISLANDS } from './islands/bundle.ts'

import account from './styles/account.css' with { type: 'text' }
import base from './styles/base.css' with { type: 'text' }
import catalog from './styles/catalog.css' with { type: 'text' }
import components from './styles/components.css' with { type: 'text' }
import layout from './styles/layout.css' with { type: 'text' }
import operate from './styles/operate.css' with { type: 'text' }
import store from './styles/store.css' with { type: 'text' }
import tokens from './styles/tokens.css' with { type: 'text' }

const LAYERS = '@layer tokens, base, layout, components, pages;\n'

export const STYLE = createAsset(
  'assets',
  LAYERS + tokens + base + layout + components + catalog + store + account + operate,
  'css',
)

export const SCRIPTS = {
  frame: createAsset('assets', ISLANDS.frame, 'js'),
  compare: createAsset('assets', ISLANDS.compare, 'js'),
  gallery: createAsset('assets', ISLANDS.gallery, 'js'),
  search: createAsset('assets', ISLANDS.search, 'js'),
}
