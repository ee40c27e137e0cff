import type { SearchDocument } from '../../../src/domain/listings/search-document.ts'

/** What a person types, and what they expect among the first five listings of the demo. */
export interface EverydayQuery {
  query: string
  /** One of the first five has this name. */
  finds?: string
  /** At least one is found, and all of the first five are like this. */
  all?: (listing: SearchDocument) => boolean
  /** It names no listing, developer or tag of the demo, so it can be asked of any catalog. */
  isGeneric?: true
}

type Is = (listing: SearchDocument) => boolean

const by =
  (username: string): Is =>
  ({ developer }) =>
    developer === username
const inLanguage =
  (language: string): Is =>
  ({ languages }) =>
    languages.includes(language)
const genre =
  (value: string): Is =>
  ({ genres }) =>
    genres.includes(value)
const tone =
  (value: string): Is =>
  (listing) =>
    listing.tone.includes(value)
/** Tags of several words match their parts: `couch-coop` and `co-op` are both played together. */
const tag =
  (...parts: string[]): Is =>
  ({ tags }) =>
    tags.some((one) => parts.some((part) => one.includes(part)))
const runsOn =
  (system: string): Is =>
  ({ os }) =>
    os.includes(system)
const type =
  (...values: string[]): Is =>
  ({ asset_type }) =>
    values.includes(asset_type)
const madeWith =
  (engine: string): Is =>
  ({ engines }) =>
    engines.includes(engine)
const either =
  (...of: Is[]): Is =>
  (listing) =>
    of.some((is) => is(listing))
const both =
  (...of: Is[]): Is =>
  (listing) =>
    of.every((is) => is(listing))

const cozy = either(tone('cozy'), tag('cozy'))
const horror = either(genre('horror'), tag('horror'))
const together = tag('co-op', 'coop')
const funny = either(tone('funny'), tag('funny'))
const towers = either(genre('tower-defense'), tag('tower-defense'))
const platforms = either(genre('platformer'), tag('platformer', 'side-scroller'))
const isShort = either(({ session_bucket }) => session_bucket === '15m', tag('short'))

const GENERIC: readonly (readonly [query: string, all: Is])[] = [
  ['cozy', cozy],
  ['cosy', cozy],
  ['Cozy games', both(cozy, type('game'))],
  ['horror', horror],
  ['android', runsOn('android')],
  ['phone', runsOn('android')],
  ['mac', runsOn('macos')],
  ['windows', runsOn('windows')],
  ['linux', runsOn('linux')],
  ['browser game', both(runsOn('web'), type('game'))],
  ['web', runsOn('web')],
  ['steam deck', ({ platforms }) => platforms.includes('linux|x86_64')],
  ['coop', together],
  ['co-op', together],
  ['tower defence', towers],
  ['tower-defense', towers],
  ['short games', both(isShort, type('game'))],
  ['godot', either(madeWith('godot'), tag('godot'))],
  ['rogue-like', genre('roguelike')],
  ['roguelike', genre('roguelike')],
  ['visual novel', genre('visual-novel')],
  ['platformer', platforms],
  ['2d platformer', platforms],
  ['puzzle', either(genre('puzzle'), tag('puzzle'))],
  ['relaxing', either(tone('relaxing'), tag('relaxing'))],
  ['funny racing', both(funny, either(genre('racing'), tag('racing')))],
  ['cozy strategy', both(cozy, either(genre('strategy'), tag('strategy')))],
  ['horor', horror],
  ['stratgey', either(genre('strategy'), tag('strategy'))],
  ['racing android', both(runsOn('android'), genre('racing'))],
  ['multiplayer', either(({ net }) => net !== 'offline' && net !== null, tag('multiplayer'))],
  ['pixel art', either(tag('pixel-art'), ({ tagline }) => tagline.includes('pixel'))],
  ['mod', type('mod')],
  ['cozy -android', both(cozy, (listing) => !runsOn('android')(listing))],
  ['puzzle no horror', (listing) => !horror(listing)],
]

const OF_THE_DEMO: readonly (readonly [query: string, found: string | Is])[] = [
  ['lantern works', by('lantern-works')],
  ['lantern-works', by('lantern-works')],
  ['lantren works', by('lantern-works')],
  ['tin whistle', by('tin-whistle')],
  ['Second Breakfast Club', by('second-breakfast')],
  ['north quay strategy', both(by('north-quay'), either(genre('strategy'), tag('strategy')))],
  ['moss jam platformer', both(by('moss-jam'), genre('platformer'))],
  ['okapi lab kids', both(by('okapi-lab'), tag('kids'))],
  ['phone games', runsOn('android')],
  ['free games', ({ price }) => price === 'free'],
  ['under 10', ({ price_cents }) => price_cents <= 1000],
  ['puzzle under 10 dollars', ({ price_cents }) => price_cents <= 1000],
  ['in german', inLanguage('de')],
  ['french', either(inLanguage('fr'), tag('french'))],
  ['japanese language', inLanguage('ja')],
  ['gamepad support', ({ inputs }) => inputs.includes('gamepad')],
  ['no ai', ({ ai_uses }) => ai_uses.length === 0],
  ['vr', either(({ inputs }) => inputs.includes('vr'), tag('vr'))],
  ['gamepad racing', both(({ inputs }) => inputs.includes('gamepad'), genre('racing'))],
  ['the last ferry', 'The Last Ferry'],
  ['last fery', 'The Last Ferry'],
  ['brass and barley', 'Brass & Barley'],
  ['gearhart derby', 'Gearheart Derby'],
  ['lighthouse keepers', 'Lighthouse Keepers’ Union'],
  ['salt line', 'Salt Line'],
  ['undo dungeon', 'Undo Dungeon'],
  ['longshroe', 'Longshore'],
  ['cartografer', 'Echo Cartographer'],
  ['"salt line"', 'Salt Line'],
  ['snail game', 'Snail Mail Express'],
  ['game about ducks', 'Parade of Ducks'],
  ['farming', either(tag('farming'), ({ description }) => description.includes('farm'))],
  ['one more sto', 'One More Stone'],
  ['tavern steampunk', 'Brass & Barley'],
  ['textures', 'Moss & Stone'],
]

/** The ones that are asked of the demo, on both engines, and their share that must be answered well. */
export const EVERYDAY_QUERIES: readonly EverydayQuery[] = [
  ...GENERIC.map(([query, all]): EverydayQuery => ({ query, all, isGeneric: true })),
  ...OF_THE_DEMO.map(([query, found]): EverydayQuery =>
    typeof found === 'string' ? { query, finds: found } : { query, all: found },
  ),
]
export const EVERYDAY_SHARE = 0.95

/** Whether the first five are what the person expects. */
export function isExpected({ finds, all }: EverydayQuery, found: readonly SearchDocument[]): boolean {
  const first = found.slice(0, 5)
  if (finds !== undefined) return first.some(({ name }) => name === finds)
  return first.length > 0 && first.every((listing) => all?.(listing) ?? true)
}
