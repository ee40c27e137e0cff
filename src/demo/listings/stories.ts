import type { DemoListing } from '../listing-data.ts'

/** Story games. */
export const STORIES: readonly DemoListing[] = [
  {
    vanityName: 'the-last-ferry',
    name: 'The Last Ferry',
    by: 'lantern-works',
    assetType: 'game',
    tagline: 'One boat, one river, and passengers who are not sure they want to arrive.',
    description: `
The bridge opens in spring. Until then you run the last ferry across the Orle, nine crossings a day, and every
passenger carries something they will not talk about until the middle of the river.

**Listen, steer, decide.** A conversation lasts exactly as long as a crossing. Take the slow current and hear the
whole story; take the fast one and miss the ending. What you learn changes who boards tomorrow.

- Forty-one passengers, none of whom repeat themselves
- A river that is drawn anew by the weather every morning
- No fail state, but plenty to regret

Made by four people who grew up next to a bridge that was opened in spring.
`,
    daysAgo: 212,
    art: ['sea', 'dusk'],
    screens: ['sea', 'city'],
    tags: ['narrative', 'boats', 'choices-matter', 'hand-drawn', 'melancholy', 'singleplayer'],
    genres: ['adventure', 'visual-novel'],
    tone: ['serious', 'wholesome'],
    inputs: ['keyboard_mouse', 'gamepad'],
    contentWarnings: ['language'],
    engines: ['godot'],
    sessionBucket: '1h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    authorshipCredit: 'Four people and a borrowed accordion',
    website: 'https://lantern-works.example/the-last-ferry',
    priceCents: 1499,
    editions: [
      { name: 'With soundtrack', priceCents: 1999 },
      { name: 'Captain’s bundle', priceCents: 2999, active: false },
    ],
    storeLinks: [
      { platform: 'store_02', url: 'https://lantern-works.itch.io/the-last-ferry' },
      { platform: 'store_11', url: 'https://gamejolt.com/games/the-last-ferry/0' },
    ],
    uses: ['rain-on-things', 'lantern-shaders'],
    madeWith: ['marginalia'],
    similar: ['winter-letters', 'fjord-sketches', 'moth-hour'],
    changelog: [
      {
        version: '1.0.0',
        title: 'The river is open',
        body: 'Thank you to everyone who tested the fog. **All forty-one passengers** are aboard.',
        daysAgo: 212,
      },
      {
        version: '1.1.0',
        title: 'Larger letters',
        body: '- Text size can be set\n- The dog can be petted with a controller\n- Fixed: the dog could be petted twice',
        daysAgo: 96,
      },
    ],
    press: {
      release_date: 'Spring 2026',
      contact_email: 'press@lantern-works.example',
      website: 'https://lantern-works.example/the-last-ferry',
      trailer_url: 'https://video.example/the-last-ferry',
      history:
        'It began as a timetable. Then somebody drew a passenger in the margin, and the timetable lost.',
      features: [
        'Forty-one passengers',
        'A river drawn anew every morning',
        'About six hours, longer if you dawdle',
      ],
      awards: ['Best Story, Harbour Lights Festival 2026', 'Finalist, Small Games Prize'],
      links: [{ label: 'Screenshots in print size', url: 'https://lantern-works.example/press' }],
      quotes: [
        { text: 'I missed my stop. Twice. On a real ferry.', source: 'The Weekly Joystick', url: null },
      ],
      team: [
        { name: 'Oda Brandt', role: 'Writing', url: null },
        { name: 'Ilir Kola', role: 'Code', url: null },
        { name: 'Mei-Lin Sato', role: 'Drawing', url: 'https://lantern-works.example/mei-lin' },
        { name: 'Jonas Bright', role: 'Accordion', url: null },
      ],
    },
  },
  {
    vanityName: 'winter-letters',
    name: 'Winter Letters',
    by: 'ida-halvorsen',
    assetType: 'game',
    tagline: 'Answer a year of unopened post before the snow melts.',
    description: `
Your grandmother was the postmistress of Nordvik, and she kept every letter that could not be delivered. There are
three hundred and six. You have a stove, a lamp, a good pen, and until the thaw.

Read them in any order. Answer them, forward them, keep them, or burn them for warmth. Each answer travels; some come
back. A handful of people will turn up at your door.

Winter Letters is short, quiet and finished. You can pause anywhere, and it remembers which page you had open.
`,
    daysAgo: 330,
    art: ['hills', 'frost'],
    screens: ['hills', 'forest'],
    tags: ['letters', 'cozy', 'narrative', 'winter', 'short', 'singleplayer'],
    genres: ['visual-novel'],
    tone: ['cozy', 'wholesome'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['renpy'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    authorshipCredit: 'Ida Halvorsen',
    priceCents: 799,
    similar: ['the-last-ferry', 'fjord-sketches'],
    press: {
      release_date: '12 January 2026',
      contact_email: 'ida@halvorsen.example',
      history: 'Written in one winter, translated in the next.',
      features: ['306 letters', 'Playable with one finger'],
      team: [{ name: 'Ida Halvorsen', role: 'Everything but the stamps', url: null }],
    },
  },
  {
    vanityName: 'fjord-sketches',
    name: 'Fjord Sketches',
    by: 'ida-halvorsen',
    assetType: 'game',
    tagline: 'A walk, a sketchbook, and no hurry at all.',
    description: `
Walk along a fjord for as long as you like. When you stop somewhere, you may draw it; the game looks at your drawing
and decides what the weather should do next.

There are no points. There is a café at the far end that closes at six, and a ferry that does not wait. If you miss it
you may sleep in the boathouse, which is the best part.

Free, because it was made in the evenings and asks for nothing back.
`,
    daysAgo: 540,
    art: ['hills', 'dawn'],
    screens: ['sea', 'hills'],
    tags: ['walking-simulator', 'drawing', 'nature', 'relaxing', 'short'],
    genres: ['casual', 'adventure'],
    tone: ['relaxing', 'cozy'],
    inputs: ['keyboard_mouse', 'touch'],
    engines: ['godot'],
    sessionBucket: '15m',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    anonymousDownloads: true,
    uses: ['rain-on-things'],
    similar: ['winter-letters', 'one-more-stone'],
  },
  {
    vanityName: 'the-tenant-below',
    name: 'The Tenant Below',
    by: 'bitter-almond',
    assetType: 'game',
    tagline: 'You rented the ground floor. Something else never left it.',
    description: `
The flat is cheap, the landlady is kind, and the plan of the building shows one room more than you can find. On the
second night the radio starts to give you directions.

You have a torch, a tenancy agreement of nineteen pages, and the right to inspect the premises. Use all three. The
house listens to your microphone only if you let it, and it is much worse if you do.

*Contains no sudden loud noises. It does not need them.*
`,
    daysAgo: 74,
    art: ['rooms', 'ember'],
    screens: ['rooms', 'forest'],
    tags: ['psychological-horror', 'first-person', 'haunted-house', 'puzzle', 'singleplayer'],
    genres: ['horror', 'puzzle'],
    tone: ['dark', 'tense'],
    inputs: ['keyboard_mouse', 'gamepad'],
    contentWarnings: ['horror', 'violence', 'language', 'flashing_lights'],
    engines: ['godot'],
    sessionBucket: '3h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    priceCents: 1299,
    uses: ['forty-doors'],
    similar: ['carrion-choir', 'glasshouse'],
    press: {
      release_date: 'September 2026',
      contact_email: 'press@bitter-almond.example',
      trailer_url: 'https://video.example/the-tenant-below',
      features: ['One house, nineteen pages of small print', 'Optional microphone'],
      quotes: [{ text: 'I read my own lease again afterwards.', source: 'Night Shift Reviews', url: null }],
    },
  },
  {
    vanityName: 'velvet-hours',
    name: 'Velvet Hours',
    by: 'bitter-almond',
    assetType: 'game',
    tagline: 'A grown-up romance in a hotel that only exists after midnight.',
    description: `
You are the night manager of the Hotel Meridian, which is not on any map before twelve. The guests are charming, the
lift is temperamental, and everyone here has come to be somebody else until breakfast.

A visual novel for adults, about desire, honesty and room service. Seven routes, each of which can be played without
any explicit scene if you ask the front desk to turn them off.

All characters are adults and say so. The hotel has a strict policy.
`,
    daysAgo: 150,
    art: ['city', 'dusk'],
    screens: ['city', 'rooms'],
    tags: ['romance', 'dating-sim', 'choices-matter', 'adult', 'lgbtq'],
    genres: ['visual-novel'],
    tone: ['serious', 'funny'],
    inputs: ['keyboard_mouse', 'touch'],
    contentWarnings: ['sexual', 'nudity', 'language'],
    engines: ['renpy'],
    sessionBucket: '3h',
    net: 'offline',
    players: [1, 1],
    authorship: 'human',
    adult: true,
    indexable: false,
    priceCents: 1699,
  },
]
