import type { DemoListing } from '../listing-data.ts'

/** Games that fit no other category. */
export const ODDITIES: readonly DemoListing[] = [
  {
    vanityName: 'glasshouse',
    name: 'Glasshouse',
    by: 'lantern-works',
    assetType: 'game',
    tagline: 'Stealth in a building where every wall is a window.',
    description: `
You cannot hide in the botanical gardens of Varn: everything is glass. You can only be somewhere the light is not, for
as long as it is not there. Clouds are your cover. So are the orchids, if they trust you.

Glasshouse is **in development**. This page has a first playable house with three glass rooms, one guard and one very
attentive parrot. Tell us what the parrot saw.

We plan nine houses, a story about seeds that somebody should not have, and a level editor.
`,
    daysAgo: 28,
    art: ['glass', 'moss'],
    screens: ['glass', 'forest'],
    tags: ['stealth', 'plants', 'light-and-shadow', 'work-in-progress', 'singleplayer'],
    genres: ['stealth', 'puzzle'],
    tone: ['tense', 'weird'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human_agent',
    authorshipCredit: 'Guards tested by agents, parrot written by hand',
    aiUses: ['code'],
    status: 'in_development',
    uses: ['lantern-shaders', 'moss-and-stone'],
    madeWith: ['marginalia'],
    similar: ['the-tenant-below', 'echo-cartographer'],
    changelog: [
      { version: '0.1.0', title: 'First glass', body: 'One house, three rooms, one parrot.', daysAgo: 28 },
      { version: '0.2.0', title: 'Clouds', body: 'Clouds now move **and** matter.', daysAgo: 9 },
    ],
  },
  {
    vanityName: 'static-bloom',
    name: 'Static Bloom',
    by: 'second-breakfast',
    assetType: 'game',
    tagline: 'A shooter that a machine dreamt and two people had to debug.',
    description: `
We gave a group of AI agents one sentence, *flowers that fight back*, and a month. Then two of us spent a season
finding out which of the results was a game. This one was.

Everything that is not the tutorial text was drawn, scored or coded by machines and then cut down by hand. We keep a
diary of what we threw away; it is longer than the game and comes with it.

If that is not your thing, we understand, and have put it plainly on the label.
`,
    daysAgo: 47,
    art: ['gridway', 'dusk'],
    screens: ['gridway', 'city'],
    tags: ['shoot-em-up', 'experimental', 'flowers', 'procedural', 'singleplayer'],
    genres: ['shooter', 'arcade'],
    tone: ['weird', 'tense'],
    inputs: ['keyboard_mouse', 'gamepad'],
    contentWarnings: ['violence', 'flashing_lights'],
    engines: ['phaser'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'agent_heavy',
    authorshipCredit: 'Agents, pruned by Asha and Piet',
    aiUses: ['art', 'audio', 'code', 'text'],
    similar: ['neon-allotment', 'orbit-gardener'],
  },
  {
    vanityName: 'one-more-stone',
    name: 'One More Stone',
    by: 'ida-halvorsen',
    assetType: 'game',
    tagline: 'Stack stones. Leave. Come back. They are still there, mostly.',
    description: `
An idle game about cairns. Put a stone on a stone. Close the window. While you are away the wind has opinions, a fox
comes by, and somebody you never meet adds a stone of their own.

It uses next to no power, never notifies you, and cannot be bought faster. After a year the cairn is very high and you
have visited it three hundred times, which is the whole point.
`,
    daysAgo: 700,
    art: ['dunes', 'paper'],
    tags: ['idle', 'minimalist', 'relaxing', 'zen', 'stones'],
    genres: ['idle', 'casual'],
    tone: ['relaxing', 'wholesome'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['defold'],
    sessionBucket: 'endless',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    anonymousDownloads: true,
    similar: ['fjord-sketches', 'orbit-gardener'],
  },
  {
    vanityName: 'word-beetle',
    name: 'Word Beetle',
    by: 'okapi-lab',
    assetType: 'game',
    tagline: 'A beetle eats letters. What is left should be a word.',
    description: `
Guide a hungry beetle across a page of letters. It eats in straight lines and cannot stop. What it leaves behind is
read aloud, and if it is a word, the page turns.

For readers from six to ninety, in eleven languages, with a dyslexia-friendly typeface and no clock. Teachers can write
their own pages, print them, or share them by a link.
`,
    daysAgo: 275,
    art: ['shapes', 'candy'],
    screens: ['shapes', 'hexes'],
    tags: ['words', 'kids', 'education', 'accessible', 'family'],
    genres: ['educational', 'puzzle'],
    tone: ['wholesome', 'cozy'],
    inputs: ['touch', 'keyboard_mouse'],
    engines: ['phaser'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 2],
    authorship: 'human',
    anonymousDownloads: true,
    uses: ['okapi-access-kit'],
    similar: ['fraction-farm', 'paper-orchard'],
  },
  {
    vanityName: 'fraction-farm',
    name: 'Fraction Farm',
    by: 'okapi-lab',
    assetType: 'game',
    tagline: 'Three eighths of a cow is not a cow, as you will learn.',
    description: `
Divide fields, pies and one very tolerant cow between animals who can count. Everything on the farm is a fraction of
something, and the fence only closes when the sums do.

Twenty lessons that do not look like lessons. The voice of the farmer was made with a speech model from the recordings
of our own maths teacher, who agreed, listened, and asked for more gravel.
`,
    daysAgo: 55,
    art: ['glass', 'sand'],
    screens: ['hills', 'hexes'],
    tags: ['math', 'kids', 'education', 'farming', 'family'],
    genres: ['educational', 'casual'],
    tone: ['wholesome', 'funny'],
    inputs: ['touch', 'keyboard_mouse'],
    engines: ['phaser'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 4],
    authorship: 'human',
    aiUses: ['voice'],
    priceCents: 499,
    similar: ['word-beetle', 'crumb-quest'],
  },
  {
    vanityName: 'crumb-quest',
    name: 'Crumb Quest',
    by: 'second-breakfast',
    assetType: 'game',
    tagline: 'A role-playing game set entirely under one kitchen table.',
    description: `
You are an ant with a destiny and the strength of fifty ants, which is to say fifty times one ant. The Great Spill
happened last Sunday. Now the Marmalade Coast is contested, and somebody has seen the Broom.

Four companions, a tablecloth to climb, and battles decided by who can lift the other one. About nine hours, with a
map that fits on a napkin. There is a real napkin in the box edition.
`,
    daysAgo: 200,
    art: ['hexes', 'sand'],
    screens: ['hills', 'hexes'],
    tags: ['jrpg', 'insects', 'turn-based', 'story-rich', 'funny', 'moddable'],
    genres: ['rpg', 'adventure'],
    tone: ['funny', 'wholesome'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['godot'],
    sessionBucket: '3h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 1499,
    uses: ['little-townsfolk', 'forty-doors'],
    similar: ['undo-dungeon', 'fraction-farm'],
  },
  {
    vanityName: 'tiny-parliament',
    name: 'Tiny Parliament',
    by: 'second-breakfast',
    assetType: 'game',
    tagline: 'Thirty members, six parties, one working microphone.',
    description: `
Form a government. Lose it by Tuesday. Tiny Parliament simulates thirty stubborn people with beliefs, debts and lunch
plans, and lets you try to get a single sentence through them.

Speeches are written live by a language model that runs on your own machine, if you install it; without it, they are
put together from four thousand hand-written clauses, which many players like better.

One legislature takes an hour, or less, if you trip.
`,
    daysAgo: 22,
    art: ['shapes', 'clay'],
    screens: ['shapes', 'rooms'],
    tags: ['politics', 'satire', 'simulation', 'text-heavy', 'singleplayer'],
    genres: ['strategy', 'simulation'],
    tone: ['funny', 'chaotic'],
    inputs: ['keyboard_mouse'],
    contentWarnings: ['language'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human_agent',
    aiUses: ['text', 'runtime'],
    priceCents: 1399,
    similar: ['brass-and-barley', 'house-edge'],
  },
]
