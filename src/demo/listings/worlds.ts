import type { DemoListing } from '../listing-data.ts'

/** Building and survival games. */
export const WORLDS: readonly DemoListing[] = [
  {
    vanityName: 'lighthouse-keepers-union',
    name: 'Lighthouse Keepers’ Union',
    by: 'lantern-works',
    assetType: 'game',
    tagline: 'Keep the lamp lit. Keep the minutes of the meeting.',
    description: `
Forty lighthouses, one coast, and a union that meets by radio every Thursday. You run one of them, with up to five
friends running the others, and between you there is never quite enough oil.

**Work by day**: trim, polish, paint, catch fish, write the log. **Bargain by night**: every keeper has one vote on how
the oil is shared, and ships remember who was dark.

- Seasons of seven evenings, saved whenever somebody leaves
- Strikes, storms and one sea monster with reasonable demands
- Alone it is a quiet management game; together it is politics
`,
    daysAgo: 88,
    art: ['sea', 'lagoon'],
    screens: ['sea', 'contours'],
    tags: ['co-op', 'negotiation', 'boats', 'resource-management', 'multiplayer', 'weather'],
    genres: ['management', 'simulation'],
    tone: ['cozy', 'tense'],
    inputs: ['keyboard_mouse', 'gamepad'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'online',
    players: [1, 6],
    authorship: 'human',
    website: 'https://lantern-works.example/union',
    priceCents: 1999,
    editions: [{ name: 'Founding member', priceCents: 2999 }],
    uses: ['quay-net', 'rain-on-things'],
    similar: ['longshore', 'brass-and-barley', 'cold-harbour'],
    changelog: [
      { version: '1.2.0', title: 'The right to strike', body: 'Down lamps. See what happens.', daysAgo: 33 },
    ],
    release: {
      version: '1.3.0',
      title: 'Your own coast',
      daysAgo: 0,
      changes: [
        {
          title: 'Dedicated servers',
          description: 'Keep a coast running while everybody sleeps. Works on a small Linux machine.',
        },
        { title: 'Chart editor', description: 'Draw a coast, place its lights, and send it to the others.' },
        { title: 'The foghorn no longer counts as a vote', description: '' },
      ],
    },
    otherApps: [
      { slug: 'server', name: 'Dedicated server', systems: ['linux', 'windows'] },
      { slug: 'editor', name: 'Chart editor', systems: ['windows'] },
    ],
    press: {
      release_date: 'August 2026',
      contact_email: 'press@lantern-works.example',
      trailer_url: 'https://video.example/union',
      features: ['One to six keepers', 'A coast of forty lighthouses'],
      team: [{ name: 'Lantern Works', role: 'All of us', url: 'https://lantern-works.example' }],
    },
  },
  {
    vanityName: 'brass-and-barley',
    name: 'Brass & Barley',
    by: 'tin-whistle',
    assetType: 'game',
    tagline: 'Run a tavern in a city that runs on steam and gossip.',
    description: `
Your uncle left you a tavern, eleven barrels of something, and a pipe organ that is also the boiler. The city of
Harrowgate is on shift work; somebody is always thirsty.

Brew, cook, hire, and listen. Rumours are an ingredient: serve the right one to the right table and a district changes
hands. Serve the wrong one and you will need a new window.

Recipes are plain text files, so anyone can write them, and several hundred people have.
`,
    daysAgo: 620,
    art: ['city', 'clay'],
    screens: ['panel', 'rooms'],
    tags: ['tavern', 'steampunk', 'moddable', 'crafting', 'economy', 'singleplayer'],
    genres: ['management', 'simulation'],
    tone: ['cozy', 'funny'],
    inputs: ['keyboard_mouse'],
    contentWarnings: ['drugs', 'language'],
    engines: ['bevy'],
    sessionBucket: '3h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 2299,
    storeLinks: [{ platform: 'store_02', url: 'https://tin-whistle.itch.io/brass-and-barley' }],
    uses: ['brass-ui-kit', 'little-townsfolk'],
    similar: ['lighthouse-keepers-union', 'tiny-parliament'],
    changelog: [
      {
        version: '3.4.0',
        title: 'Recipe folder',
        body: 'Drop a file in `recipes/`, reload, serve.',
        daysAgo: 130,
      },
    ],
  },
  {
    vanityName: 'kettle-knights',
    name: 'Kettle Knights',
    by: 'tin-whistle',
    assetType: 'game',
    tagline: 'Tower defence for people who would rather have tea.',
    description: `
The kingdom of Brew is under attack by decaffeinated armies. Your towers are kettles, and kettles take their time: a
volley begins with a whistle thirty seconds before it lands. Plan accordingly. Have a biscuit.

Thirty boards of hexagons, five kinds of leaf, and a sandglass you may turn over once per battle. There is a co-op mode
in which one of you pours and the other one worries.
`,
    daysAgo: 290,
    art: ['hexes', 'orchard'],
    screens: ['hexes', 'shapes'],
    tags: ['hex-grid', 'tea', 'slow-paced', 'co-op', 'moddable'],
    genres: ['tower-defense', 'strategy'],
    tone: ['cozy', 'funny'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'local',
    players: [1, 2],
    authorship: 'human',
    priceCents: 999,
    similar: ['salt-line', 'neon-allotment'],
  },
  {
    vanityName: 'cold-harbour',
    name: 'Cold Harbour',
    by: 'north-quay',
    assetType: 'game',
    tagline: 'The supply ship is late. It has been late for eleven weeks.',
    description: `
A survival game about a small crew in a very large cold. Nobody wants to fight anybody. Everybody wants the last tin of
peaches.

Warmth is a shared number. Every open door, every wet glove and every secret costs some of it; songs, soup and bad
jokes earn it back. When it reaches zero nobody dies. They just stop speaking, which is worse, because then somebody
has to go outside alone.

Early and rough: the ice is finished, the people are about half done.
`,
    daysAgo: 35,
    art: ['sea', 'frost'],
    screens: ['forest', 'hills'],
    tags: ['survival', 'crew', 'winter', 'base-building', 'early-access', 'co-op'],
    genres: ['survival', 'simulation'],
    tone: ['tense', 'serious'],
    inputs: ['keyboard_mouse', 'gamepad'],
    contentWarnings: ['violence', 'language'],
    engines: ['godot'],
    sessionBucket: '3h',
    net: 'online',
    players: [1, 4],
    authorship: 'human',
    status: 'in_development',
    priceCents: 1799,
    uses: ['quay-net', 'moss-and-stone'],
    similar: ['lighthouse-keepers-union', 'echo-cartographer'],
  },
  {
    vanityName: 'longshore',
    name: 'Longshore',
    by: 'north-quay',
    assetType: 'game',
    tagline: 'Ten thousand boxes, four cranes, one very patient foreman.',
    description: `
Run a container port that has to be faster tomorrow than it was today. Cranes, trains, lorries and tides are real
enough to make a harbour master nod; the rest is a puzzle you build for yourself and then have to live in.

- A yard of up to 250,000 containers, each with a place to be
- Shifts you can play, speed up, or hand to the foreman
- Weather and traffic can be replaced by plugins

Endless, in the way that ports are.
`,
    daysAgo: 455,
    art: ['city', 'ink'],
    screens: ['city', 'sea'],
    tags: ['logistics', 'automation', 'port', 'sandbox', 'moddable', 'singleplayer'],
    genres: ['simulation', 'management', 'sandbox'],
    tone: ['relaxing', 'serious'],
    inputs: ['keyboard_mouse'],
    engines: ['custom'],
    sessionBucket: 'endless',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    website: 'https://north-quay.example/longshore',
    priceCents: 2999,
    editions: [{ name: 'Deluxe', priceCents: 3999 }],
    storeLinks: [{ platform: 'store_11', url: 'https://gamejolt.com/games/longshore/0' }],
    similar: ['lighthouse-keepers-union', 'orbit-gardener'],
  },
  {
    vanityName: 'orbit-gardener',
    name: 'Orbit Gardener',
    by: 'okapi-lab',
    assetType: 'game',
    tagline: 'Plant a moon. Wait. Prune the moon.',
    description: `
Throw seeds into orbit and see what grows. Ferns like ellipses, mosses like resonance, and the big blue thing from the
third update likes to be left alone.

The sky is simulated properly, so a careless flick can undo an hour of gardening in a very instructive way. Teachers
use it to show why planets do what they do; we made it because comets look good with flowers on.

Parts of the orbit code were written together with an AI agent and checked against a textbook.
`,
    daysAgo: 170,
    art: ['space', 'violet'],
    screens: ['space', 'waves'],
    tags: ['space', 'gravity', 'gardening', 'science', 'sandbox', 'singleplayer'],
    genres: ['sandbox', 'educational'],
    tone: ['relaxing', 'weird'],
    inputs: ['keyboard_mouse', 'touch', 'vr'],
    engines: ['godot'],
    sessionBucket: 'endless',
    net: 'offline',
    players: [1, 1],
    authorship: 'human_agent',
    authorshipCredit: 'Okapi Lab, with an agent for the integrals',
    aiUses: ['code'],
    priceCents: 1099,
    uses: ['okapi-access-kit'],
    similar: ['longshore', 'one-more-stone'],
  },
]
