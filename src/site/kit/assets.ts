import { type Asset, createAsset } from '../../lib/asset.ts'
import { type IslandName, ISLANDS } from './islands.ts'

import account from '../account/account.css' with { type: 'text' }
import library from '../account/library.css' with { type: 'text' }
import notices from '../account/notices/notices.css' with { type: 'text' }
import catalog from '../catalog/catalog.css' with { type: 'text' }
import developer from '../catalog/developer.css' with { type: 'text' }
import home from '../catalog/home.css' with { type: 'text' }
import components from '../components/components.css' with { type: 'text' }
import icons from '../components/icons.css' with { type: 'text' }
import person from '../components/person.css' with { type: 'text' }
import picker from '../components/picker.css' with { type: 'text' }
import tabMenu from '../components/tab-menu.css' with { type: 'text' }
import docs from '../docs/docs.css' with { type: 'text' }
import jams from '../jams/jams.css' with { type: 'text' }
import embed from '../listing/embed/embed.css' with { type: 'text' }
import play from '../listing/play/play.css' with { type: 'text' }
import store from '../listing/store.css' with { type: 'text' }
import operate from '../operate/operate.css' with { type: 'text' }
import studioBuilds from '../studio/builds/builds.css' with { type: 'text' }
import studio from '../studio/frame/studio.css' with { type: 'text' }
import studioData from '../studio/insight/insight.css' with { type: 'text' }
import studioEditor from '../studio/page/editor.css' with { type: 'text' }
import base from './styles/base.css' with { type: 'text' }
import layout from './styles/layout.css' with { type: 'text' }
import tokens from './styles/tokens.css' with { type: 'text' }

const LAYERS = '@layer tokens, base, layout, components, pages;\n'

const FRAME = LAYERS + tokens + base + layout + icons + components + person

/** Indentation and comments are a fifth of what a browser would load. */
function createSheet(...rules: readonly string[]): Asset {
  const text = rules
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
  return createAsset('assets', text, 'css')
}

/** One style sheet per area, so that a page loads only the rules of its own area. */
export const STYLES = {
  store: createSheet(FRAME, catalog, developer, home, store, play, account),
  library: createSheet(FRAME, library, notices),
  jams: createSheet(FRAME, jams),
  studio: createSheet(FRAME, picker, tabMenu, studio, studioEditor, studioData, studioBuilds),
  operate: createSheet(FRAME, picker, tabMenu, operate),
  embed: createSheet(LAYERS, tokens, icons, embed),
  docs: createSheet(FRAME, docs),
}

/** The paths of the scripts, by the name of the island. */
export const SCRIPTS = Object.fromEntries(
  Object.entries(ISLANDS).map(([name, text]) => [name, createAsset('assets', text, 'js')]),
) as Readonly<Record<IslandName, Asset>>
