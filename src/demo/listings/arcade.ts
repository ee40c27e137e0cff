import type { DemoListing } from '../listing-data.ts'

/** Action games, most of them from a jam. */
export const ARCADE: readonly DemoListing[] = [
  {
    vanityName: 'three-button-knight',
    name: 'Three-Button Knight',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'Left, right, regret.',
    description: `
A knight with three buttons: left, right, and a third that does something different in every room. You find out what
by pressing it. Sometimes it is a sword. Once it is a sneeze.

Fifty rooms of one screen each, no longer than a coffee. Made for a jam whose theme was *one button too many*, and
then polished for a year because we could not stop laughing at the sneeze.
`,
    daysAgo: 402,
    art: ['sprites', 'lagoon'],
    screens: ['rooms', 'hexes'],
    tags: ['pixel-art', 'game-jam', 'short', 'retro', 'one-screen', 'funny'],
    genres: ['arcade', 'platformer'],
    tone: ['funny', 'chaotic'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['love2d'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    anonymousDownloads: true,
    storeLinks: [{ platform: 'store_02', url: 'https://moss-jam.itch.io/three-button-knight' }],
    madeWith: ['pixel-kiln'],
    similar: ['undo-dungeon', 'moth-hour'],
  },
  {
    vanityName: 'snail-mail-express',
    name: 'Snail Mail Express',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'The slowest racing game that still needs brakes.',
    description: `
Four snails, one letter each, and a garden path with a slope of nearly two per cent. Top speed is a matter of opinion.

Steer by leaning, overtake by climbing walls, and hide in your shell when the thrush comes by. The prototype has one
track, *Drainpipe*, which takes eleven minutes. The record is ten minutes and fifty-eight seconds.

This is a prototype. Things are missing: sound, a second track, any sense of urgency.
`,
    daysAgo: 19,
    art: ['hills', 'meadow'],
    tags: ['local-multiplayer', 'snails', 'party', 'prototype', 'physics'],
    genres: ['racing', 'casual'],
    tone: ['funny', 'wholesome'],
    inputs: ['gamepad', 'keyboard_mouse', 'motion'],
    engines: ['godot'],
    sessionBucket: '15m',
    net: 'local',
    players: [1, 4],
    authorship: 'human',
    status: 'prototype',
    anonymousDownloads: true,
    similar: ['gearheart-derby', 'duck-parade'],
  },
  {
    vanityName: 'moth-hour',
    name: 'Moth Hour',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'Fly towards the light, but not into it.',
    description: `
You are a moth. Lamps pull you in; the dark lets you go. Between the two there is a curve, and if you ride it well you
cross a whole wood without beating your wings once.

- Twelve nights, each with its own lamps
- One button, or one finger
- A soundtrack that follows how close you come to burning

A platformer without platforms, for headphones.
`,
    daysAgo: 118,
    art: ['forest', 'ember'],
    screens: ['forest', 'waves'],
    tags: ['one-button', 'flow', 'night', 'atmospheric', 'game-jam'],
    genres: ['platformer', 'arcade'],
    tone: ['relaxing', 'dark'],
    inputs: ['keyboard_mouse', 'gamepad', 'touch'],
    engines: ['love2d'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 399,
    uses: ['loom-granular'],
    similar: ['potato-opera', 'the-last-ferry'],
  },
  {
    vanityName: 'potato-opera',
    name: 'Potato Opera',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'A rhythm game in four acts and one root vegetable.',
    description: `
Conduct a chorus of potatoes through a complete opera about a harvest that goes wrong. They cannot sing. They can
roll, fall off tables and be peeled in time, which turns out to be enough.

Every act is played in one go and takes eight minutes. Miss a beat and a potato leaves the stage; the music goes on
without its voice. It is possible to reach the finale with a single potato. It is very moving.
`,
    daysAgo: 260,
    art: ['waves', 'clay'],
    screens: ['waves', 'shapes'],
    tags: ['music', 'rhythm', 'absurd', 'game-jam', 'short'],
    genres: ['rhythm'],
    tone: ['weird', 'funny'],
    inputs: ['keyboard_mouse', 'gamepad', 'touch'],
    contentWarnings: ['flashing_lights'],
    engines: ['bevy'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 2],
    authorship: 'human',
    anonymousDownloads: true,
    madeWith: ['loom-and-tape'],
    similar: ['moth-hour', 'duck-parade'],
  },
  {
    vanityName: 'gearheart-derby',
    name: 'Gearheart Derby',
    by: 'tin-whistle',
    assetType: 'game',
    tagline: 'Build a soapbox. Trust it. Regret it at the second bend.',
    description: `
A racing game without engines: everybody starts at the top of a hill and gravity does the rest. What you bolt together
in the workshop decides whether you arrive as one piece.

Twenty-four hills, from the village green to the salt desert. Up to eight people on one sofa or sixteen online, with
the same prediction code for both, so nobody can blame the line.

The workshop keeps every vehicle you ever crashed. You may visit them.
`,
    daysAgo: 365,
    art: ['dunes', 'sand'],
    screens: ['dunes', 'hills', 'gridway'],
    tags: ['soapbox', 'vehicle-building', 'multiplayer', 'couch-coop', 'physics', 'moddable'],
    genres: ['racing', 'sandbox'],
    tone: ['chaotic', 'funny'],
    inputs: ['gamepad', 'keyboard_mouse'],
    engines: ['bevy'],
    sessionBucket: '15m',
    net: 'local_online',
    players: [1, 16],
    authorship: 'human',
    priceCents: 1999,
    editions: [{ name: 'Pit crew (4 copies)', priceCents: 4999 }],
    website: 'https://tin-whistle.example/derby',
    uses: ['quay-net'],
    similar: ['snail-mail-express', 'duck-parade'],
    changelog: [
      { version: '2.0.0', title: 'Online hills', body: 'Sixteen seats, one slope.', daysAgo: 140 },
      { version: '2.1.0', title: 'Track lab', body: 'Tracks can be made by everyone now.', daysAgo: 41 },
    ],
  },
  {
    vanityName: 'duck-parade',
    name: 'Parade of Ducks',
    by: 'second-breakfast',
    assetType: 'game',
    tagline: 'Cross the road. All of you. Together.',
    description: `
Every player is a duck in one line of ducks, and the line must not break. One leads, the others see only the tail in
front of them. Shouting is part of the controls.

Eight people can play on one screen, with phones as controllers if you run out of pads. A parade lasts five minutes
and ends at a pond or in an argument.
`,
    daysAgo: 61,
    art: ['shapes', 'meadow'],
    screens: ['shapes', 'hexes'],
    tags: ['party', 'couch-coop', 'local-multiplayer', 'ducks', 'family'],
    genres: ['casual', 'arcade'],
    tone: ['chaotic', 'wholesome', 'funny'],
    inputs: ['gamepad', 'touch'],
    engines: ['godot'],
    sessionBucket: '15m',
    net: 'local',
    players: [2, 8],
    authorship: 'human',
    priceCents: 899,
    similar: ['snail-mail-express', 'gearheart-derby'],
  },
  {
    vanityName: 'neon-allotment',
    name: 'Neon Allotment',
    by: 'second-breakfast',
    assetType: 'game',
    tagline: 'Defend your tomatoes with the brightest light you can afford.',
    description: `
Twin-stick gardening. By day you plant, water and gossip over the hedge; by night the slugs come, and they have brought
lasers. So have you.

Vegetables are ammunition, scenery and score at once: shoot your best pumpkin and you will have nothing to show at the
fair. Runs take half an hour; the hedge remembers all of them.
`,
    daysAgo: 12,
    art: ['gridway', 'neon'],
    screens: ['gridway', 'ribbons'],
    tags: ['twin-stick', 'bullet-hell', 'farming', 'roguelite', 'synthwave'],
    genres: ['shooter', 'roguelike'],
    tone: ['chaotic', 'funny'],
    inputs: ['gamepad', 'keyboard_mouse'],
    contentWarnings: ['violence', 'flashing_lights'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'local',
    players: [1, 2],
    authorship: 'human',
    priceCents: 1199,
    similar: ['static-bloom', 'kettle-knights'],
  },
]
