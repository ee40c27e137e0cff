import type { DemoListing } from '../listing-data.ts'

/** Puzzles, card games and map games. */
export const RIDDLES: readonly DemoListing[] = [
  {
    vanityName: 'paper-orchard',
    name: 'Paper Orchard',
    by: 'lantern-works',
    assetType: 'game',
    tagline: 'Fold the page until the apples fall.',
    description: `
Each level is a sheet of paper with a tree on it. Fold the sheet; what touches, meets. A worm meets an apple, a bird
meets a worm, a ladder meets a branch three creases away.

One hundred and twenty sheets, none of which needs more than seven folds. You can fold with a mouse, a finger, or, in
the printable edition, with your hands: every level comes as a PDF.

Free, and a good first puzzle game for people who do not play games.
`,
    daysAgo: 145,
    art: ['shapes', 'orchard'],
    screens: ['shapes', 'hexes'],
    tags: ['origami', 'logic', 'family', 'short', 'colorblind-friendly'],
    genres: ['puzzle', 'casual'],
    tone: ['cozy', 'relaxing'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['defold'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    anonymousDownloads: true,
    uses: ['okapi-access-kit'],
    similar: ['word-beetle', 'undo-dungeon'],
  },
  {
    vanityName: 'undo-dungeon',
    name: 'Undo Dungeon',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'A roguelike with unlimited undo. It costs you a memory each time.',
    description: `
Step on a trap? Take it back. Take everything back, if you like, to the first room. But every undo makes the dungeon
forget something: a door, a colour, a rule, the word for *left*.

Runs last half an hour. The map is drawn from what is still remembered, which means late floors are mostly invented by
you. There is an ending for people who never undo, and a better one for people who cannot stop.

Source and tiles are free to take apart.
`,
    daysAgo: 230,
    art: ['rooms', 'violet'],
    screens: ['rooms', 'sprites'],
    tags: ['roguelike', 'turn-based', 'pixel-art', 'game-jam', 'moddable', 'time-travel'],
    genres: ['roguelike', 'puzzle'],
    tone: ['weird', 'dark'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['love2d'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    anonymousDownloads: true,
    uses: ['tidewater-tiles'],
    madeWith: ['pixel-kiln'],
    similar: ['echo-cartographer', 'three-button-knight'],
  },
  {
    vanityName: 'echo-cartographer',
    name: 'Echo Cartographer',
    by: 'north-quay',
    assetType: 'game',
    tagline: 'Map a cave you cannot see by shouting at it.',
    description: `
You have a voice, a notebook, and no light. Call, listen, draw what you think you heard. The cave does not care whether
your map is right until the moment you walk on it.

Drawings are compared with nothing. There is no score for accuracy. There is only the rope, which is as long as the map
you trusted enough to follow, and the way back.

Wear headphones. It can be played without seeing the screen at all, and about a third of our testers do.
`,
    daysAgo: 310,
    art: ['contours', 'ink'],
    screens: ['contours', 'waves'],
    tags: ['exploration', 'audio-game', 'maps', 'accessible', 'caves', 'singleplayer'],
    genres: ['adventure', 'roguelike'],
    tone: ['tense', 'serious'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 1299,
    uses: ['okapi-access-kit', 'loom-granular'],
    similar: ['undo-dungeon', 'undertow'],
  },
  {
    vanityName: 'undertow',
    name: 'Undertow',
    by: 'north-quay',
    assetType: 'game',
    tagline: 'Deep diving in VR, at the speed of your own breath.',
    description: `
Sit down, put the headset on, breathe. Undertow follows your breathing and lets you sink as it slows. At forty metres
the colours go. At sixty, something hums back.

Made with two instructors and a physiotherapist. It can be played standing, seated or lying down, never moves you
faster than you breathe, and comes with a flat mode for people without a headset.
`,
    daysAgo: 190,
    art: ['sea', 'abyss'],
    screens: ['forest', 'waves'],
    tags: ['vr', 'diving', 'underwater', 'breathing', 'meditative'],
    genres: ['adventure', 'simulation'],
    tone: ['relaxing', 'tense'],
    inputs: ['vr', 'motion', 'gamepad'],
    engines: ['godot'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 1599,
    similar: ['echo-cartographer', 'orbit-gardener'],
  },
  {
    vanityName: 'salt-line',
    name: 'Salt Line',
    by: 'north-quay',
    assetType: 'game',
    tagline: 'Naval strategy where the sea is the strongest side.',
    description: `
A turn is one tide. Ships move with it, against it, or sit in the mud and wait, and both admirals know exactly when it
will turn, because it is printed on the board.

Campaigns for one, matches for two by mail, on one screen, or live. There is no luck, no fog and very little forgiveness.
A full game takes fifteen tides, about as many minutes, and one apology.

The rules fit on a page. People have been modding that page for two years.
`,
    daysAgo: 830,
    art: ['hexes', 'lagoon'],
    screens: ['hexes', 'sea', 'contours'],
    tags: ['naval', 'hex-grid', 'turn-based', 'no-luck', 'moddable', 'play-by-mail'],
    genres: ['strategy'],
    tone: ['serious', 'tense'],
    inputs: ['keyboard_mouse', 'touch'],
    contentWarnings: ['violence'],
    engines: ['custom'],
    sessionBucket: '15m',
    net: 'local_online',
    players: [1, 2],
    authorship: 'human',
    priceCents: 1499,
    storeLinks: [{ platform: 'store_02', url: 'https://north-quay.itch.io/salt-line' }],
    uses: ['quay-net', 'tidewater-tiles'],
    similar: ['kettle-knights', 'longshore'],
    changelog: [
      {
        version: '4.0.0',
        title: 'Neap and spring',
        body: 'Tides now differ. So will your plans.',
        daysAgo: 80,
      },
    ],
    press: {
      release_date: '2024',
      contact_email: 'hello@north-quay.example',
      website: 'https://north-quay.example/salt-line',
      history: 'First played with bottle caps on a tide table in a closed café.',
      features: ['Rules on one page', 'A match in fifteen minutes'],
      awards: ['Best Rules, Table and Screen 2025'],
    },
  },
  {
    vanityName: 'carrion-choir',
    name: 'Carrion Choir',
    by: 'bitter-almond',
    assetType: 'game',
    tagline: 'A card game sung by the dead. Bring your own deck; they brought theirs.',
    description: `
Build a choir out of whatever the battlefield has left. Every card is a voice, every voice has a price, and the price
is usually somebody who was still using it.

A deck of forty, eleven conductors, and battles that are also songs: what you play in which order can be listened to
afterwards. Some runs are beautiful. None of them are nice.

For adults, for the imagery.
`,
    daysAgo: 99,
    art: ['glass', 'ember'],
    screens: ['glass', 'waves'],
    tags: ['deckbuilder', 'gothic', 'roguelite', 'music', 'adult'],
    genres: ['card', 'roguelike', 'horror'],
    tone: ['dark', 'weird'],
    inputs: ['keyboard_mouse', 'touch'],
    contentWarnings: ['violence', 'gore', 'horror'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    adult: true,
    priceCents: 1399,
    similar: ['house-edge', 'the-tenant-below'],
  },
  {
    vanityName: 'house-edge',
    name: 'House Edge',
    by: 'bitter-almond',
    assetType: 'game',
    tagline: 'You are the casino. Try to feel good about it.',
    description: `
Design games of chance that look fair, feel generous and are neither. Watch your guests on eleven cameras. Read the
letters from their families. Adjust the carpet.

House Edge is a satire with working mathematics: every machine you build shows its true odds to you and nobody else.
No real money, no boxes to open, nothing to buy inside.
`,
    daysAgo: 51,
    art: ['ribbons', 'neon'],
    screens: ['ribbons', 'city'],
    tags: ['satire', 'casino', 'management', 'dark-comedy', 'statistics'],
    genres: ['card', 'management'],
    tone: ['dark', 'funny'],
    inputs: ['keyboard_mouse'],
    contentWarnings: ['gambling', 'drugs', 'language'],
    engines: ['phaser'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 999,
    similar: ['tiny-parliament', 'carrion-choir'],
  },
]
