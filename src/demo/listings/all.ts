import type { DemoListing } from '../listing-data.ts'
import { APPLICATIONS } from './applications.ts'
import { ARCADE } from './arcade.ts'
import { DEV_ASSETS, GAME_ASSETS } from './assets.ts'
import { MODS } from './mods.ts'
import { ODDITIES } from './oddities.ts'
import { PLUGINS } from './plugins.ts'
import { RIDDLES } from './riddles.ts'
import { STORIES } from './stories.ts'
import { TEMPLATES } from './templates.ts'
import { TOOLS } from './tools.ts'
import { UNLISTED } from './unlisted.ts'
import { WORLDS } from './worlds.ts'

export const DEMO_LISTINGS: readonly DemoListing[] = [
  ...STORIES,
  ...ARCADE,
  ...WORLDS,
  ...RIDDLES,
  ...ODDITIES,
  ...APPLICATIONS,
  ...TOOLS,
  ...MODS,
  ...PLUGINS,
  ...GAME_ASSETS,
  ...DEV_ASSETS,
  ...TEMPLATES,
  ...UNLISTED,
]

export const DEMO_NAMES: readonly string[] = DEMO_LISTINGS.map(({ vanityName }) => vanityName)
