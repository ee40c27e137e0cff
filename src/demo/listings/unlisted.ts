import type { DemoListing } from '../listing-data.ts'

/** Pages that are not public. */
export const UNLISTED: readonly DemoListing[] = [
  {
    vanityName: 'quay-net-preview',
    name: 'Quay Net 2 (preview)',
    by: 'north-quay',
    assetType: 'dev_asset',
    tagline: 'The next netcode, for those who have the link.',
    description: `
If you can read this, somebody trusted you with the link. Quay Net 2 moves prediction to the graphics card and doubles
the seats to thirty-two. It has been running in our own games for a month and has only once caught fire.

Please do not publish anything made with it before spring, and do send us your recordings when something goes wrong.
`,
    daysAgo: 15,
    visibility: 'invisible',
    art: ['nodes', 'abyss'],
    tags: ['netcode', 'preview', 'multiplayer'],
    status: 'prototype',
    priceCents: 5999,
    licenseKind: 'paid',
  },
  {
    vanityName: 'velvet-hours-epilogue',
    name: 'Velvet Hours: Epilogue',
    by: 'bitter-almond',
    assetType: 'game',
    tagline: 'One more night, for guests of the hotel.',
    description: `
A short extra chapter for everyone who checked out of the Hotel Meridian before breakfast. It takes place in the lift,
which finally gets to say something.

Only people with the link find it; we put the link on a napkin in the seventh route.
`,
    daysAgo: 45,
    visibility: 'invisible',
    art: ['city', 'violet'],
    tags: ['romance', 'epilogue', 'adult'],
    genres: ['visual-novel'],
    contentWarnings: ['sexual', 'language'],
    adult: true,
    indexable: false,
  },
  {
    vanityName: 'the-second-ferry',
    name: 'The Second Ferry',
    by: 'lantern-works',
    assetType: 'game',
    tagline: 'It was never only one boat.',
    description:
      'A sequel, or a mistake. Notes so far: who sails the other way, and what do they call the river?',
    daysAgo: 11,
    visibility: 'draft',
    status: 'in_development',
    art: ['sea', 'violet'],
    tags: ['narrative', 'boats'],
    genres: ['adventure'],
  },
  {
    vanityName: 'bakery-thing',
    name: 'Untitled Bakery Thing',
    by: 'moss-jam',
    assetType: 'game',
    tagline: '',
    description: 'Dough physics work. Everything else is raisins.',
    daysAgo: 4,
    visibility: 'draft',
    status: 'prototype',
    art: ['shapes', 'sand'],
    tags: ['baking'],
  },
  {
    vanityName: 'birthday-game',
    name: 'A Game for Juno’s Birthday',
    by: 'moss-jam',
    assetType: 'game',
    tagline: 'Do not tell Juno.',
    description: `
A treasure hunt through our own flat, with eleven riddles and one cake. Only the owner of this page may open it, because
Juno is an admin of everything else.
`,
    daysAgo: 6,
    visibility: 'owner',
    art: ['rooms', 'candy'],
    tags: ['present', 'secret', 'short'],
    genres: ['puzzle'],
  },
]
