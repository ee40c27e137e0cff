import { expect, setDefaultTimeout, test } from 'bun:test'

import { DEMO_LISTINGS } from '../../src/demo/data.ts'
import { textOfMarkdown } from '../../src/lib/text/markdown.ts'
import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { makeDocument } from '../helpers/search/search-documents.ts'
import { describeEachEngine } from './search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const listings = DEMO_LISTINGS.filter(({ visibility, adult }) => visibility === undefined && !adult)
const documents = listings.map(({ name, tagline, description, genres = [], tags, daysAgo }) =>
  makeDocument({
    name,
    tagline,
    description: textOfMarkdown(description.join('\n')),
    genres,
    tags,
    published_at: 1_800_000_000_000 - daysAgo * 86_400_000,
  }),
)

/** What people type, and the listing they mean. */
const JUDGED: readonly (readonly [query: string, meant: string])[] = [
  ['ferry', 'The Last Ferry'],
  ['last fery', 'The Last Ferry'],
  ['ferry winter', 'The Last Ferry in Winter'],
  ['winter lettres', 'Winter Letters'],
  ['grandmother letter', 'Winter Letters'],
  ['sketchbook', 'Fjord Sketches'],
  ['fjord', 'Fjord Sketches'],
  ['tenant', 'The Tenant Below'],
  ['landlady radio', 'The Tenant Below'],
  ['three button', 'Three-Button Knight'],
  ['snail racing', 'Snail Mail Express'],
  ['moth', 'Moth Hour'],
  ['potatoe', 'Potato Opera'],
  ['rhythm opera', 'Potato Opera'],
  ['soapbox', 'Gearheart Derby'],
  ['gearhart derby', 'Gearheart Derby'],
  ['ducks', 'Parade of Ducks'],
  ['cross the road', 'Parade of Ducks'],
  ['tomatoes', 'Neon Allotment'],
  ['lighthouse', 'Lighthouse Keepers’ Union'],
  ['keepers union', 'Lighthouse Keepers’ Union'],
  ['tavern', 'Brass & Barley'],
  ['brass barley', 'Brass & Barley'],
  ['tower defence tea', 'Kettle Knights'],
  ['kettle nights', 'Kettle Knights'],
  ['container port', 'Longshore'],
  ['orbit gardner', 'Orbit Gardener'],
  ['plant a moon', 'Orbit Gardener'],
  ['fold paper', 'Paper Orchard'],
  ['roguelike', 'Undo Dungeon'],
  ['undo', 'Undo Dungeon'],
  ['map cave', 'Echo Cartographer'],
  ['cartografer', 'Echo Cartographer'],
  ['vr diving', 'Undertow'],
  ['naval', 'Salt Line'],
  ['salt line', 'Salt Line'],
  ['line 1890', 'Salt Line: 1890'],
  ['casino', 'House Edge'],
  ['glashouse', 'Glasshouse'],
  ['ai agents', 'Static Bloom'],
  ['stack stones', 'One More Stone'],
  ['beetle', 'Word Beetle'],
  ['fractions', 'Fraction Farm'],
  ['kitchen table', 'Crumb Quest'],
  ['parliment', 'Tiny Parliament'],
  ['notebook stories', 'Marginalia'],
  ['pixel art editor', 'Pixel Kiln'],
  ['tape loops', 'Loom & Tape'],
  ['lamp table', 'A Lamp for the Table'],
  ['fish', 'Desk Aquarium'],
  ['hedgehog', 'Barley Without Rats'],
  ['soup', 'Soup Season'],
  ['francais', 'Crumb Quest en français'],
  ['french translation', 'Crumb Quest en français'],
  ['subtitles', 'Bigger Subtitles'],
  ['normal map', 'Normal Maps for Pixel Kiln'],
  ['palete', 'Palette Postcards'],
  ['doors', 'Forty Doors'],
  ['rain', 'Rain on Things'],
  ['moss textures', 'Moss & Stone'],
  ['netcode', 'Quay Net'],
  ['shader', 'Lantern Shaders'],
  ['screen reader', 'Okapi Access Kit'],
  ['weather harbour', 'Harbour Weather'],
  ['coast tiles', 'Tidewater Tiles'],
  ['track edit', 'Derby Track Lab'],
]

/** The same with a tag or a genre picked besides, or tags alone. */
const JUDGED_WITH_FILTERS: readonly (readonly [query: string, meant: string])[] = [
  ['tags=snails', 'Snail Mail Express'],
  ['tags=casino,satire', 'House Edge'],
  ['tags=origami,logic', 'Paper Orchard'],
  ['tags=naval,turn-based', 'Salt Line'],
  ['tags=farming&exclude_tags=kids', 'Neon Allotment'],
  ['tags=drawing&q=walk', 'Fjord Sketches'],
  ['tags=winter&q=ship', 'Cold Harbour'],
  ['tags=boats&q=lamp', 'Lighthouse Keepers’ Union'],
  ['genres=visual-novel&q=snow', 'Winter Letters'],
  ['genres=roguelike&q=memry', 'Undo Dungeon'],
  ['genres=puzzle&q=wall', 'Glasshouse'],
  ['genres=strategy&q=tea', 'Kettle Knights'],
  ['genres=rpg&q=table', 'Crumb Quest'],
  ['genres=educational&q=cow', 'Fraction Farm'],
  ['genres=simulation&exclude_genres=management&q=breath', 'Undertow'],
  ['genres=management&q=tavren gossip', 'Brass & Barley'],
]

const QUESTIONS = [
  ...JUDGED.map(([q, meant]) => [new URLSearchParams({ q }).toString(), meant] as const),
  ...JUDGED_WITH_FILTERS,
]

describeEachEngine('what people mean', documents, (_, get) => {
  async function namesFor(query: string): Promise<string[]> {
    const { hits } = await get().search(query)
    return hits.map(({ uid }) => documents.find((document) => document.uid === uid)?.name ?? uid)
  }

  test.each(listings.map(({ name }) => name))('the name itself comes first: %s', async (name) => {
    expect((await namesFor(new URLSearchParams({ q: name }).toString()))[0]).toBe(name)
  })

  test('is among the first three, nineteen times of twenty', async () => {
    const missed: string[] = []
    for (const [query, meant] of QUESTIONS) {
      const found = (await namesFor(query)).slice(0, 3)
      if (!found.includes(meant)) missed.push(`${query}: ${meant}, not ${found.join(', ')}`)
    }
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(50)
    // Those that were missed are the message.
    expect(missed.length > QUESTIONS.length / 20 ? missed : []).toEqual([])
  })
})
