import type { Tag } from './types.ts'

/** The chapters of the API description, in order. Routes name theirs: `detail: { tags: ['Search'] }`. */
export const TAGS: readonly Tag[] = [
  { name: 'Search', description: 'Find listings by text, tags, platform, engine and more.' },
  {
    name: 'Catalog',
    description:
      'Public listings and what belongs to them: relations, mods and tools, tags, shelves, the sitemap and the store rules.',
  },
  { name: 'Reviews', description: 'What players say about a listing.' },
  { name: 'Press', description: 'Press kits as a factsheet and as a zip with images.' },
  {
    name: 'Downloads',
    description:
      'Files without signing in, where a project allows it, and the origin and scan history of every file.',
  },
  {
    name: 'Asset library',
    description: 'Packages for game editors. Successful answers are raw objects without the envelope.',
  },
  { name: 'Ingest', description: 'Crash reports and events sent by running games.' },
  {
    name: 'External-store sign-in',
    description:
      'Players sign in with a session ticket of the external game store; servers verify the tokens they got.',
  },
  {
    name: 'Bug reports',
    description: 'Players report bugs from the running game, and learn which of them were fixed.',
  },
  { name: 'Bugs', description: 'The tickets of a game, its bug reporter and its webhooks.' },
  { name: 'Listings', description: 'The pages a developer makes, and everything on them.' },
  {
    name: 'Builds',
    description: 'What a pipeline pushes: builds, files, symbols, and the channels that point at them.',
  },
  { name: 'Library', description: 'What a player owns.' },
  { name: 'Keys', description: 'Codes that a developer gives away, and that players redeem.' },
  {
    name: 'Selling',
    description: 'Buying through Stripe: orders, refunds, and the account that a developer is paid out to.',
  },
  {
    name: 'Installing',
    description: 'For launchers: what a player may install, and only those bytes of it that changed.',
  },
  { name: 'Community tags', description: 'Tags that players suggest.' },
  { name: 'Accounts', description: 'The account behind the website session, and its player keys.' },
  { name: 'API description', description: 'This description, for machines.' },
  { name: 'Operations', description: 'Is the service alive, and can it do its work?' },
]
