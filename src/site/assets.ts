import { createAsset } from '../lib/asset.ts'
import { ISLANDS } from './islands/bundle.ts'

import account from './styles/account.css' with { type: 'text' }
import base from './styles/base.css' with { type: 'text' }
import catalog from './styles/catalog.css' with { type: 'text' }
import components from './styles/components.css' with { type: 'text' }
import layout from './styles/layout.css' with { type: 'text' }
import operate from './styles/operate.css' with { type: 'text' }
import store from './styles/store.css' with { type: 'text' }
import studioBuilds from './styles/studio-builds.css' with { type: 'text' }
import studioData from './styles/studio-data.css' with { type: 'text' }
import studioEditor from './styles/studio-editor.css' with { type: 'text' }
import studio from './styles/studio.css' with { type: 'text' }
import tokens from './styles/tokens.css' with { type: 'text' }

const LAYERS = '@layer tokens, base, layout, components, pages;\n'

const FRAME = LAYERS + tokens + base + layout + components

/** One sheet for each area, so that its pages load no rules of another. */
export const STYLES = {
  store: createAsset('assets', FRAME + catalog + store + account, 'css'),
  studio: createAsset('assets', FRAME + studio + studioEditor + studioData + studioBuilds, 'css'),
  operate: createAsset('assets', FRAME + operate, 'css'),
}

export const SCRIPTS = {
  frame: createAsset('assets', ISLANDS.frame, 'js'),
  compare: createAsset('assets', ISLANDS.compare, 'js'),
  gallery: createAsset('assets', ISLANDS.gallery, 'js'),
  search: createAsset('assets', ISLANDS.search, 'js'),
  studio: createAsset('assets', ISLANDS.studio, 'js'),
  editor: createAsset('assets', ISLANDS.editor, 'js'),
  media: createAsset('assets', ISLANDS.media, 'js'),
  upload: createAsset('assets', ISLANDS.upload, 'js'),
  live: createAsset('assets', ISLANDS.live, 'js'),
  hashWorker: createAsset('assets', ISLANDS['hash-worker'], 'js'),
}
