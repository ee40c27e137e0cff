import { type DemoListing, works } from '../listing-data.ts'

export const GAME_ASSETS: readonly DemoListing[] = [
  {
    vanityName: 'tidewater-tiles',
    name: 'Tidewater Tiles',
    by: 'moss-jam',
    assetType: 'game_asset',
    tagline: 'A thousand tiles of coast, harbour and soggy dungeon.',
    description: `
1,024 tiles at 16 by 16 pixels: beaches, jetties, mud flats, boats in every state of repair, and a dungeon for people
who insist. All tiles join in all directions, and every piece of water exists at four heights of tide.

**Do what you like with them.** CC0: no credit needed, though we do enjoy finding them in the wild. The source drawings
for Pixel Kiln are in the archive.
`,
    daysAgo: 410,
    art: ['rooms', 'lagoon'],
    screens: ['rooms', 'hexes'],
    tags: ['tileset', '16x16', 'pixel-art', 'coast', 'top-down'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    engineCompat: [works('godot', '3.2', '4')],
    madeWith: ['pixel-kiln'],
  },
  {
    vanityName: 'forty-doors',
    name: 'Forty Doors',
    by: 'vetiver-audio',
    assetType: 'game_asset',
    tagline: 'Forty real doors, opened, closed, locked and slammed.',
    description: `
We drove around for two summers with good microphones and asked people about their doors. Cathedral, caravan, cold
store, confessional; one bank vault; a garden gate that plays a minor third.

Each door comes in twelve takes at 96 kHz, dry, with a recording of its room so that you can add the echo yourself.
Credit *Vetiver Audio* and the door’s owner, whose names are in the list.
`,
    daysAgo: 500,
    art: ['waves', 'orchard'],
    tags: ['sound-effects', 'doors', 'foley', 'audio', 'realistic'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc-by',
    engineCompat: [works('godot', '3.2', '4')],
  },
  {
    vanityName: 'rain-on-things',
    name: 'Rain on Things',
    by: 'vetiver-audio',
    assetType: 'game_asset',
    tagline: 'Rain, recorded on sixty-one different surfaces.',
    description: `
Tin roof, tent, tarpaulin, moss, a parked tram, a very large leaf. Sixty-one loops of three minutes, each without a seam,
each in light, steady and *oh dear*.

Free for anything. Mix two surfaces and nobody will ever hear the loop; mix four and you have a city. Recorded where it
rains two hundred and forty days a year, which is also why there are so many.
`,
    daysAgo: 720,
    art: ['waves', 'frost'],
    screens: ['waves', 'forest'],
    tags: ['ambience', 'rain', 'loops', 'audio', 'weather'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    engineCompat: [works('godot', '3.2', '4')],
    madeWith: ['loom-and-tape'],
  },
  {
    vanityName: 'moss-and-stone',
    name: 'Moss & Stone',
    by: 'ida-halvorsen',
    assetType: 'game_asset',
    tagline: 'Photographed textures from one wet valley.',
    description: `
Eighty-four seamless textures of stone, bark, peat and nine kinds of moss, with height, normal and roughness maps at
4096 pixels. All of them come from one valley, so they agree with each other about the light.

Share what you make from them under the same terms (CC BY-SA). The valley is not for sale, and I will not tell you where
it is.
`,
    daysAgo: 380,
    art: ['glass', 'meadow'],
    screens: ['contours', 'forest'],
    tags: ['textures', 'pbr', 'nature', 'seamless', 'photoscanned'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc-by-sa',
    engineCompat: [works('godot', '3.2', '4')],
  },
  {
    vanityName: 'little-townsfolk',
    name: 'Little Townsfolk',
    by: 'second-breakfast',
    assetType: 'game_asset',
    tagline: 'Two hundred small people with places to be.',
    description: `
Bakers, widows, tax collectors, a man who is always just leaving. Two hundred characters of 24 by 32 pixels with walking,
sitting, carrying and gossiping in eight directions, plus hats, which can be swapped.

One licence covers one studio and all its games. Commissions for a two-hundred-and-first person are open; bring a
description and a hat size.
`,
    daysAgo: 265,
    art: ['sprites', 'orchard'],
    screens: ['sprites', 'shapes'],
    tags: ['characters', 'sprites', 'pixel-art', 'animated', 'rpg'],
    authorship: 'human',
    priceCents: 1499,
    licenseKind: 'paid',
    madeWith: ['pixel-kiln'],
  },
  {
    vanityName: 'brass-ui-kit',
    name: 'Brass UI Kit',
    by: 'tin-whistle',
    assetType: 'game_asset',
    tagline: 'Buttons you want to press, gauges you want to tap.',
    description: `
The interface of Brass & Barley, taken apart and labelled: ninety buttons, forty gauges, frames that stretch without
tears, and needles that overshoot a little before they settle.

Drawn at four times the size you need. Includes the click, clunk and hiss that go with each part, because a button is
half sound.
`,
    daysAgo: 340,
    art: ['panel', 'sand'],
    tags: ['ui', 'steampunk', 'buttons', 'interface', 'sound-effects'],
    authorship: 'human',
    priceCents: 2499,
    editions: [{ name: 'Studio licence', priceCents: 7999 }],
    licenseKind: 'proprietary',
  },
]

export const DEV_ASSETS: readonly DemoListing[] = [
  {
    vanityName: 'lantern-shaders',
    name: 'Lantern Shaders',
    by: 'lantern-works',
    assetType: 'dev_asset',
    tagline: 'Water, fog and lamplight for 2D games, as used on our own river.',
    description: `
Fourteen shaders with everything explained: a river that flows around things, fog that keeps its distance, lamps with
honest falloff, glass. Each one is a single file with its parameters on top.

They are made for the compatibility renderer first, so they run on old laptops and phones; the forward renderer gets a
few extras. You may read and change them for your own games. Please do not sell the pack itself.
`,
    daysAgo: 195,
    art: ['ribbons', 'lagoon'],
    screens: ['sea', 'contours'],
    tags: ['shaders', '2d', 'water', 'lighting', 'godot'],
    engines: ['godot'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'source-available',
    engineCompat: [
      works('godot', '4.1', '4.4', { renderer: 'gl-compatibility' }),
      works('godot', '4.2', '4.4', { renderer: 'forward-plus' }),
      works('godot', '3.2', '3.6'),
    ],
    changelog: [
      { version: '1.3.0', title: 'Glass', body: 'The glass of **Glasshouse** is in.', daysAgo: 20 },
    ],
  },
  {
    vanityName: 'quay-net',
    name: 'Quay Net',
    by: 'north-quay',
    assetType: 'dev_asset',
    tagline: 'Rollback netcode that explains itself.',
    description: `
A small networking library for games of up to sixteen players. Inputs go out, the future is guessed, and when the guess
was wrong it is repaired before anybody notices.

What makes it different is the recorder: every frame that was repaired can be opened later, with both versions side by
side and a sentence on what happened. We have used it in three of our games and in one argument with a router maker.
`,
    daysAgo: 420,
    art: ['nodes', 'lagoon'],
    screens: ['nodes', 'hexes'],
    tags: ['netcode', 'rollback', 'multiplayer', 'library', 'debugging'],
    engines: ['godot', 'bevy', 'custom'],
    authorship: 'human',
    priceCents: 5999,
    licenseKind: 'paid',
    engineCompat: [works('godot', '4', '4'), works('bevy', '0.13', '0.16')],
  },
  {
    vanityName: 'okapi-access-kit',
    name: 'Okapi Access Kit',
    by: 'okapi-lab',
    assetType: 'dev_asset',
    tagline: 'Menus, text and controls that more people can use.',
    description: `
Drop-in scenes for everything players ask for and nobody has time to build: remapping, text size, screen reader support,
colour modes that were tested by people who need them, and a *slower please* button for whole games.

Comes with a checklist, a sample game that fails it, and the same game after an afternoon of work. Credit us, so that
others find it.
`,
    daysAgo: 360,
    art: ['shapes', 'violet'],
    tags: ['accessibility', 'ui', 'remapping', 'screen-reader', 'godot'],
    engines: ['godot'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc-by',
    engineCompat: [works('godot', '3.2', '3.6'), works('godot', '4.0', '4.6')],
  },
  {
    vanityName: 'thread-runner',
    name: 'Thread Runner',
    by: 'ida-halvorsen',
    assetType: 'dev_asset',
    tagline: 'Plays Marginalia stories in your engine, in four hundred lines.',
    description: `
Export a story from Marginalia, add Thread Runner, call *next*. It keeps variables, remembers what was read and can be
saved in the middle of a sentence.

Four hundred lines, no dependencies, ported to three languages by kind strangers. Public domain. I use it in everything,
and I have only found two bugs in it, both mine.
`,
    daysAgo: 310,
    art: ['ribbons', 'frost'],
    tags: ['dialogue', 'runtime', 'scripting', 'interactive-fiction'],
    engines: ['godot', 'love2d', 'phaser'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    engineCompat: [works('godot', '3.2', '4'), works('love2d', '11', '11.5'), works('phaser', '3.60', '3')],
  },
]
