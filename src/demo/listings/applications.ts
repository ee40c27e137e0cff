import type { DemoListing } from '../listing-data.ts'

export const APPLICATIONS: readonly DemoListing[] = [
  {
    vanityName: 'marginalia',
    name: 'Marginalia',
    by: 'pallas-tools',
    assetType: 'application',
    tagline: 'A notebook for people who write stories with more than one ending.',
    description: `
Write scenes on cards, pull a thread from one to the next, and let Marginalia tell you which ones nobody can reach.

It knows characters, times and secrets: who can know what by page forty, which promise was never kept, where two
versions of the same evening disagree. Everything is saved as plain text you can open without us.

- Works offline, on one file or a folder shared with friends
- Exports to several engines and to paper
- Plugins add timelines, maps and whatever your plot needs
`,
    daysAgo: 480,
    art: ['nodes', 'paper'],
    screens: ['nodes', 'contours'],
    tags: ['writing', 'interactive-fiction', 'notes', 'storytelling', 'offline'],
    genres: ['utility'],
    tone: ['serious'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    net: 'offline',
    authorship: 'human',
    website: 'https://pallas-tools.example/marginalia',
    priceCents: 2499,
    licenseKind: 'proprietary',
    changelog: [
      {
        version: '5.1.0',
        title: 'Who knows what',
        body: 'A new view lists what each character can know.',
        daysAgo: 64,
      },
    ],
  },
  {
    vanityName: 'pixel-kiln',
    name: 'Pixel Kiln',
    by: 'pallas-tools',
    assetType: 'application',
    tagline: 'Draw small, bake often.',
    description: `
A pixel art editor that opens in a blink and stays out of the way. Layers, palettes, tiles that know their neighbours,
and an onion skin for animation.

The odd part is the *kiln*: a list of steps that turns what you draw into what your game loads, every time you save.
Trim, pack, recolour, write a JSON next to it. Set it up once and forget it.

Free, with its source to read and change.
`,
    daysAgo: 900,
    art: ['sprites', 'candy'],
    screens: ['sprites', 'shapes'],
    tags: ['pixel-art', 'drawing', 'animation', 'sprites', 'open-source', 'tilesets'],
    genres: ['tool', 'utility'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['custom'],
    net: 'offline',
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'source-available',
    storeLinks: [{ platform: 'store_02', url: 'https://pallas-tools.itch.io/pixel-kiln' }],
    press: {
      release_date: 'May 2024',
      contact_email: 'kiln@pallas-tools.example',
      features: ['Starts in under a second', 'Batch steps on save', 'Reads eleven formats'],
      links: [{ label: 'Source', url: 'https://code.example/pallas/pixel-kiln' }],
    },
  },
  {
    vanityName: 'loom-and-tape',
    name: 'Loom & Tape',
    by: 'vetiver-audio',
    assetType: 'application',
    tagline: 'Loops that drift apart on purpose.',
    description: `
Four tape loops of different length, a loom that decides when they meet, and no grid. Record a hum, a chair, a bad
piano; an hour later you have the ambience of a level nobody has built yet.

Loom & Tape was made for game music that must never repeat. It exports stems with their drift as data, so your game
can go on where the tape stopped.

Extra machines come as plugins; the format is described on one page.
`,
    daysAgo: 350,
    art: ['waves', 'violet'],
    screens: ['waves', 'space'],
    tags: ['music', 'audio', 'looper', 'ambient', 'sound-design'],
    genres: ['tool', 'other'],
    tone: ['relaxing', 'weird'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['custom'],
    net: 'offline',
    authorship: 'human',
    priceCents: 3499,
    editions: [{ name: 'Classroom (20 seats)', priceCents: 9999 }],
    licenseKind: 'proprietary',
  },
  {
    vanityName: 'lamp-for-the-table',
    name: 'A Lamp for the Table',
    by: 'second-breakfast',
    assetType: 'application',
    tagline: 'Light, weather and rumours for your tabletop evening.',
    description: `
Put a tablet in the middle of the table. It becomes a campfire, a tavern window, a corridor with one bad torch. The
game master taps; the room changes.

Forty scenes, each with its own light and sound, and a page of rumours for when nobody knows what happens next. Works
without a network, because cellars have none.
`,
    daysAgo: 160,
    art: ['rooms', 'dusk'],
    screens: ['rooms', 'city'],
    tags: ['tabletop', 'ambience', 'roleplaying', 'game-master', 'offline'],
    genres: ['utility', 'other'],
    tone: ['cozy', 'dark'],
    inputs: ['touch', 'keyboard_mouse'],
    engines: ['defold'],
    sessionBucket: '3h',
    net: 'offline',
    players: [2, 10],
    authorship: 'human',
    priceCents: 699,
    uses: ['rain-on-things', 'forty-doors'],
  },
  {
    vanityName: 'salt-line-atlas',
    name: 'Salt Line Atlas',
    by: 'north-quay',
    assetType: 'application',
    tagline: 'Replay, annotate and argue about every tide you ever played.',
    description: `
The companion to Salt Line: open a saved match and walk through it tide by tide, with arrows, notes and the move you
should have made.

Analysts can publish a match as a page. Clubs can keep a ladder. The engine that judges positions is the one from the
game, so it is wrong in the same places.
`,
    daysAgo: 130,
    art: ['contours', 'lagoon'],
    screens: ['hexes', 'contours'],
    tags: ['replay', 'analysis', 'strategy', 'companion', 'maps'],
    genres: ['utility', 'strategy'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    net: 'online',
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'salt-line',
  },
  {
    vanityName: 'desk-aquarium',
    name: 'Desk Aquarium',
    by: 'moss-jam',
    assetType: 'application',
    tagline: 'Eleven fish who do not need anything from you.',
    description: `
A strip of sea along the edge of your screen. Fish come and go with your working day: busy mornings make small quick
ones, late evenings bring something large and slow that only wants to look.

There is nothing to click and nothing to feed. If you take a break, they do too. Nothing is measured, nothing is sent
anywhere; the fish are discreet.
`,
    daysAgo: 40,
    art: ['sea', 'candy'],
    tags: ['desktop', 'ambient', 'fish', 'relaxing', 'screensaver'],
    genres: ['other'],
    tone: ['relaxing', 'cozy'],
    inputs: ['keyboard_mouse'],
    engines: ['bevy'],
    sessionBucket: 'endless',
    net: 'offline',
    authorship: 'human_agent',
    aiUses: ['code', 'art'],
    anonymousDownloads: true,
  },
]
