import { type DemoListing, works } from '../listing-data.ts'

export const MODS: readonly DemoListing[] = [
  {
    vanityName: 'ferry-in-winter',
    name: 'The Last Ferry in Winter',
    by: 'ida-halvorsen',
    assetType: 'mod',
    tagline: 'Nine new crossings through drifting ice.',
    description: `
What if the bridge opened in autumn, and you kept sailing anyway? Nine extra days for The Last Ferry, in snow, with six
new passengers and two old ones who have changed their minds.

Ice floes change the crossing: conversations can now be interrupted, and some people only tell the truth when the boat
is stuck. Start it from the harbour menu after your first full game.
`,
    daysAgo: 70,
    art: ['sea', 'frost'],
    screens: ['hills', 'forest'],
    tags: ['story', 'winter', 'new-content', 'passengers'],
    genres: ['adventure'],
    tone: ['serious'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'the-last-ferry',
    supports: ['the-last-ferry'],
    madeWith: ['ferry-timetable-editor'],
    engineCompat: [works('godot', '4.2', '4.4')],
    modSettings: {
      install_path: 'mods/ferry-in-winter',
      loader: 'lantern-loader',
      instructions:
        '1. Unpack into the game folder.\n2. Choose **Winter** at the harbour.\n\nYour saves stay as they are.',
    },
  },
  {
    vanityName: 'barley-without-rats',
    name: 'Barley Without Rats',
    by: 'moss-jam',
    assetType: 'mod',
    tagline: 'Replaces every rat in Brass & Barley with a polite hedgehog.',
    description: `
Some of us like taverns and do not like rats. This replaces all of them, their squeaks and the one boss rat with
hedgehogs, snuffles and one very large hedgehog in a waistcoat.

Nothing about the game gets easier. They still steal cheese. They just apologise. Works together with every recipe pack
we have tried, and can be taken out again at any time.
`,
    daysAgo: 300,
    art: ['hexes', 'clay'],
    tags: ['replacer', 'phobia-friendly', 'hedgehogs', 'cosmetic'],
    tone: ['wholesome', 'funny'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'brass-and-barley',
    supports: ['brass-and-barley'],
    madeWith: ['pixel-kiln'],
    engineCompat: [works('bevy', '0.12', '0.14')],
    modSettings: {
      install_path: 'assets/overrides',
      loader: null,
      instructions: 'Unpack and restart. That is all.',
    },
  },
  {
    vanityName: 'salt-line-1890',
    name: 'Salt Line: 1890',
    by: 'tin-whistle',
    assetType: 'mod',
    tagline: 'Steam, telegraph and torpedo boats for the strictest navy game there is.',
    description: `
A complete rules overhaul. Coal replaces wind, harbours have telegraphs, and a small, fast, terrible boat can now sink
a large, slow, proud one. The page of rules has become a page and a half; we are sorry.

Twelve scenarios from the age of steam, all of them invented, all of them tested by people who own tide tables. The
computer player understands the new ships and has become rather good at hiding behind islands.
`,
    daysAgo: 180,
    art: ['hexes', 'ink'],
    screens: ['sea', 'contours'],
    tags: ['overhaul', 'naval', 'history', 'balance', 'scenarios'],
    genres: ['strategy'],
    tone: ['serious'],
    contentWarnings: ['violence'],
    authorship: 'human',
    priceCents: 499,
    parent: 'salt-line',
    supports: ['salt-line', 'salt-line-atlas'],
    modSettings: {
      install_path: 'rules/1890',
      loader: 'page-loader',
      instructions: 'Copy the folder, then pick **1890** when you create a match. Both players need it.',
    },
  },
  {
    vanityName: 'soup-season',
    name: 'Soup Season',
    by: 'second-breakfast',
    assetType: 'mod',
    tagline: 'Five soups for Kettle Knights. Soups are area damage.',
    description: `
Tea is precise. Soup is not. This adds five cauldrons to Kettle Knights, each with its own splash, and three boards that
were drawn on a wet afternoon.

- Pea soup slows
- Onion soup makes everybody cry, including your own
- Goulash is a commitment

The balance is deliberately generous until board twenty, and deliberately not after that.
`,
    daysAgo: 140,
    art: ['contours', 'orchard'],
    tags: ['new-towers', 'soup', 'new-maps', 'balance'],
    genres: ['tower-defense'],
    tone: ['funny', 'cozy'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'kettle-knights',
    supports: ['kettle-knights'],
    engineCompat: [works('godot', '4', '4')],
    modSettings: { install_path: 'mods', loader: 'kettle-loader', instructions: null },
  },
  {
    vanityName: 'longshore-night-shift',
    name: 'Night Shift',
    by: 'north-quay',
    assetType: 'mod',
    tagline: 'Longshore after dark: lamps, fog, cats.',
    description: `
The port does not close. Night Shift adds a proper night to Longshore, with floodlights you have to place and pay for,
fog that cranes hate, and cats, who live between the containers and raise morale.

We made it as the official free extra for the second birthday of the game, and as a test of what the mod interface can
carry. It can carry quite a lot of cats.
`,
    daysAgo: 100,
    art: ['city', 'abyss'],
    tags: ['official', 'night', 'cats', 'new-content', 'lighting'],
    genres: ['simulation'],
    tone: ['relaxing'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'longshore',
    supports: ['longshore'],
    modSettings: {
      install_path: 'extras/night-shift',
      loader: null,
      instructions: 'Unpack next to the game and tick *Night Shift* in the options.',
    },
  },
  {
    vanityName: 'hard-hats',
    name: 'Hard Hats',
    by: 'pallas-tools',
    assetType: 'mod',
    tagline: 'Safety regulations for Undo Dungeon.',
    description: `
Adds hard hats, warning signs and a safety inspector to Undo Dungeon. Every hat is one free undo that costs no memory,
until it is hit by something, and things in dungeons do get hit.

The inspector walks the floors and fines monsters for blocked exits. If he finishes his round before you do, the dungeon
is closed for the day, which is the third ending.
`,
    daysAgo: 85,
    art: ['rooms', 'orchard'],
    tags: ['gameplay', 'hats', 'new-ending', 'funny'],
    genres: ['roguelike'],
    tone: ['funny'],
    authorship: 'human_agent',
    aiUses: ['code'],
    anonymousDownloads: true,
    parent: 'undo-dungeon',
    supports: ['undo-dungeon'],
    engineCompat: [works('love2d', '11', '11.5')],
    modSettings: {
      install_path: 'mods/hard-hats',
      loader: 'undo',
      instructions: 'Start the game with `--mods`.',
    },
  },
  {
    vanityName: 'crumb-quest-en-francais',
    name: 'Crumb Quest en français',
    by: 'ida-halvorsen',
    assetType: 'mod',
    tagline: 'La Grande Éclaboussure, enfin traduite.',
    description: `
Une traduction complète de Crumb Quest, de la Côte de Marmelade jusqu’au Balai. Les jeux de mots ont été remplacés par
d’autres, jamais supprimés ; il y en a même un de plus.

A complete French translation, made by hand over one summer and read aloud to a patient family. Fonts with all accents
are included, and the napkin map has been redrawn.
`,
    daysAgo: 60,
    art: ['shapes', 'sand'],
    tags: ['translation', 'french', 'language', 'text'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: 'crumb-quest',
    supports: ['crumb-quest'],
    engineCompat: [works('godot', '4.1', '4.3')],
    modSettings: {
      install_path: 'locale/fr',
      loader: null,
      instructions: 'Choisissez la langue dans les options.',
    },
  },
  {
    vanityName: 'bigger-subtitles',
    name: 'Bigger Subtitles',
    by: 'okapi-lab',
    assetType: 'mod',
    tagline: 'Readable text for Halcyon Drift, a space opera that whispers.',
    description: `
Halcyon Drift is wonderful and its subtitles are eleven pixels high. This makes them as large as you like, gives every
speaker a colour that also differs in brightness, and keeps the last five lines on screen when you ask for them.

We publish it here because the game is not on this store. It touches no game files: the text is drawn over the picture,
so updates do not break it.
`,
    daysAgo: 240,
    art: ['space', 'ink'],
    tags: ['accessibility', 'subtitles', 'text', 'overlay'],
    authorship: 'human',
    anonymousDownloads: true,
    parent: { name: 'Halcyon Drift', url: 'https://halcyon-drift.example/' },
    uses: ['okapi-access-kit'],
    modSettings: {
      install_path: '.',
      loader: 'overlay',
      instructions:
        'Start `bigger-subtitles` first, then the game. Size is set with **Ctrl** and the mouse wheel.',
    },
  },
]
