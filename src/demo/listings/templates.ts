import { type DemoListing, works } from '../listing-data.ts'

export const TEMPLATES: readonly DemoListing[] = [
  {
    vanityName: 'small-harbour-starter',
    name: 'Small Harbour Starter',
    by: 'lantern-works',
    assetType: 'dev_asset',
    tagline: 'An empty harbour with a menu, a boat and a save file that works.',
    description: `
The project we copy whenever a jam begins: a title screen, settings that are remembered, a boat that can be steered with
keyboard, gamepad and touch, and a save file with room for more.

Nothing in it is clever, and that is the point. Rename it, delete what you do not need, and start with the game on the
first evening instead of the third.
`,
    daysAgo: 60,
    art: ['sea', 'orchard'],
    screens: ['sea', 'panel'],
    tags: ['template', 'starter', 'game-jam', 'godot'],
    engines: ['godot'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    engineCompat: [works('godot', '3.2', '3.6'), works('godot', '4', '4')],
  },
]
