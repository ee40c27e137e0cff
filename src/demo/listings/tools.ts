import { type DemoListing, works } from '../listing-data.ts'

export const TOOLS: readonly DemoListing[] = [
  {
    vanityName: 'ferry-timetable-editor',
    name: 'Ferry Timetable Editor',
    by: 'lantern-works',
    assetType: 'tool',
    tagline: 'The editor we wrote The Last Ferry with, tidied up and given away.',
    description: `
Make passengers, write their conversations to the second, and put them on a crossing. The preview runs the real river,
so you hear at once where a sentence is too long for the current.

Comes with the first three days of the game as an example, and with a checker that finds passengers who never get off.
Finished days can be shared as one file and played in the game without any patching.
`,
    daysAgo: 90,
    art: ['nodes', 'dusk'],
    tags: ['level-editor', 'dialogue', 'official', 'modding'],
    inputs: ['keyboard_mouse'],
    engines: ['godot'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'source-available',
    parent: 'the-last-ferry',
    engineCompat: [works('godot', '4.2', '4.4')],
  },
  {
    vanityName: 'kiln-batch',
    name: 'Kiln Batch',
    by: 'ida-halvorsen',
    assetType: 'tool',
    tagline: 'Runs Pixel Kiln’s steps from a terminal, on a thousand files, while you make tea.',
    description: `
Pixel Kiln bakes when you save. Kiln Batch bakes when your build machine says so: point it at a folder, and it repeats
the recipe of every drawing in it, only where something changed.

It prints what it did, exits with a number that pipelines understand, and has never once opened a window. Written for
one small game, kept because it saved me an afternoon every week.
`,
    daysAgo: 220,
    art: ['panel', 'candy'],
    tags: ['command-line', 'automation', 'sprites', 'build-pipeline'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    parent: 'pixel-kiln',
  },
  {
    vanityName: 'recipe-forge',
    name: 'Recipe Forge',
    by: 'second-breakfast',
    assetType: 'tool',
    tagline: 'Write Brass & Barley recipes without counting brackets.',
    description: `
A small editor for the recipe files of Brass & Barley. It knows every ingredient, warns when a stew would explode, and
shows what a dish earns in each district before you serve it.

Recipes from other people can be opened side by side and merged. If two of them want to be the same pie, the forge asks
which one your guests deserve.
`,
    daysAgo: 110,
    art: ['panel', 'clay'],
    tags: ['recipe-editor', 'modding', 'food', 'text'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    authorship: 'human',
    priceCents: 299,
    parent: 'brass-and-barley',
  },
  {
    vanityName: 'save-gardener',
    name: 'Save Gardener',
    by: 'pallas-tools',
    assetType: 'tool',
    tagline: 'Prune, graft and rescue Orbit Gardener saves.',
    description: `
A moon you loved has fallen into the sun because of one careless comet. Save Gardener opens the save, shows every body
with its path, and lets you move it back to where it was happy.

It also splits large gardens, joins two into one sky, and explains in plain words why a system is going to fall apart in
nine hundred years. Copies are made before anything is touched.
`,
    daysAgo: 66,
    art: ['contours', 'violet'],
    tags: ['save-editor', 'space', 'rescue', 'visualization'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    authorship: 'human_agent',
    aiUses: ['code'],
    anonymousDownloads: true,
    parent: 'orbit-gardener',
  },
  {
    vanityName: 'derby-track-lab',
    name: 'Derby Track Lab',
    by: 'tin-whistle',
    assetType: 'tool',
    tagline: 'Draw a hill. Throw a soapbox down it. Apologise.',
    description: `
The official track editor of Gearheart Derby. Pull a hill into shape, put things on it that should not be there, and
test it with a ghost that brakes as badly as you do.

Tracks are published from inside the lab and appear in the game for everyone within a minute. A good track is fair in
both lanes; the lab measures that and tells you, kindly.
`,
    daysAgo: 41,
    art: ['gridway', 'sand'],
    screens: ['gridway', 'dunes'],
    tags: ['level-editor', 'tracks', 'official', 'physics'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['bevy'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'gearheart-derby',
    engineCompat: [works('bevy', '0.14', '0.16', { platform: 'windows' }), works('bevy', '0.15', '0.16')],
  },
]
