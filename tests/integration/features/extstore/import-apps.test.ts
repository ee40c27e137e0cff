import { describe, expect, test } from 'bun:test'

import { GROUPS } from '../../../../src/features/extstore/import/model.ts'
import { DEMO_APPS } from '../../../helpers/ext-store-double/apps/demo-apps.ts'
import { importedOf, preview, runImport, skippedOf, useImports } from '../../../helpers/extstore/imports.ts'
import { readData } from '../../../helpers/json.ts'
import type { Person } from '../../../helpers/people.ts'

const world = useImports()
type AppName = keyof typeof DEMO_APPS

interface Expected {
  /** Fields that differ from the ordinary page; undefined: not imported. */
  imported?: Record<string, unknown>
  /** In place of what is skipped of an ordinary page. */
  skipped?: string[]
  /** Names of the screenshots, in place of the ordinary three. */
  shots?: string[]
}

const NO_DESCRIPTORS = ['content_warnings', 'adult'].map(
  (field) => `${field}: The store lists no content descriptors.`,
)
const INDIE = 'genres: “Indie” has no counterpart here.'
const NO_ACCESSIBILITY = 'accessibility: The store lists no accessibility features.'
const UNCOUNTED = 'The store does not say how many can play.'

/** Where each page differs from an ordinary one, field by field. */
const EXPECTED: Partial<Record<AppName, Expected>> = {
  paid: {},
  discounted: { imported: { price_cents: 2999 } },
  free: {
    imported: {
      genres: ['action', 'adventure'],
      net: 'online',
      price_cents: 0,
      inputs: undefined,
      players_min: undefined,
      players_max: undefined,
      accessibility: undefined,
    },
    skipped: [
      'genres: “Massively Multiplayer” has no counterpart here.',
      'genres: “Free To Play” has no counterpart here.',
      'inputs: The store does not say what it is played with.',
      `players_min: ${UNCOUNTED}`,
      `players_max: ${UNCOUNTED}`,
      NO_ACCESSIBILITY,
      ...NO_DESCRIPTORS,
    ],
  },
  paidInEuro: {
    imported: { price_cents: undefined },
    skipped: [INDIE, 'price_cents: The price is in EUR, not in US dollars.', ...NO_DESCRIPTORS],
  },
  comingSoon: {
    imported: {
      status: 'in_development',
      price_cents: undefined,
      'press.release_date': 'Q3 2027',
      'press.website': undefined,
      'press.trailer_url': undefined,
    },
    skipped: [
      INDIE,
      'press.website: The store names no website.',
      'press.trailer_url: The store has no trailer to link to.',
      'price_cents: The store names no price.',
      ...NO_DESCRIPTORS,
    ],
  },
  adult: {
    imported: { genres: ['casual', 'adventure'], content_warnings: ['nudity', 'sexual'], adult: true },
    skipped: ['content_warnings: General mature content is too broad for a warning; set what fits by hand.'],
  },
  violent: {
    imported: { genres: ['action', 'adventure'], content_warnings: ['violence', 'gore'], adult: false },
    skipped: [],
  },
  noScreenshots: {
    imported: { 'press.trailer_url': undefined },
    shots: [],
    skipped: [
      INDIE,
      ...['cover', 'thumbnail', 'gallery'].map(
        (field) => `${field}: The store page has no screenshot of at least 1280×720.`,
      ),
      'press.trailer_url: The store has no trailer to link to.',
      ...NO_DESCRIPTORS,
    ],
  },
  smallScreenshots: {
    shots: ['ss_large'],
    skipped: [
      INDIE,
      'gallery: Screenshot 1: It is 640×360; at least 1280×720 are needed.',
      'gallery: Screenshot 2: It is 1279×720; at least 1280×720 are needed.',
      ...NO_DESCRIPTORS,
    ],
  },
  manyScreenshots: {
    shots: Array.from({ length: 12 }, (_, index) => `ss_${index}`),
    skipped: [INDIE, 'gallery: 3 more were skipped: a gallery has 12 images.', ...NO_DESCRIPTORS],
  },
  oddHtml: {
    imported: {
      tagline: 'Tom & Jerry\'s "last" stand … it’s over — 100 % real.',
      description: [
        '## What\n\n## is this\n\n- One\n- Two\n  - Two and a half\n\n[News](https://example.org/news)',
        '2 \\* 3 \\< 7 & \\[not\\](a link)\n\nKey \\| Does\n\nW \\| walks\n\n> “Fine”',
        '**bold** ***both*** *open* \\<script\\> \\&unknown; end',
      ].join('\n\n'),
    },
  },
  streamsOnly: {
    imported: {
      'press.trailer_url':
        'https://video.akamai.steamstatic.com/store_trailers/700150/1/2/3/hls_264_master.m3u8?t=1',
    },
  },
  twoMovies: {},
  mixedTypes: {
    imported: {
      genres: ['racing', 'adventure'],
      net: 'local',
      price_cents: 999,
      inputs: undefined,
      players_min: undefined,
      players_max: undefined,
      requirements: undefined,
      accessibility: undefined,
      'press.release_date': undefined,
      'press.website': undefined,
      'press.team': [{ name: 'Small Hours', role: 'Publisher', url: null }],
    },
    skipped: [
      'inputs: The store does not say what it is played with.',
      `players_min: ${UNCOUNTED}`,
      `players_max: ${UNCOUNTED}`,
      'requirements: The store names no system requirements.',
      NO_ACCESSIBILITY,
      'press.release_date: The store names no release date.',
      'press.website: The store names no website.',
      ...NO_DESCRIPTORS,
    ],
  },
}

function expectedImport(
  name: AppName,
  { imported = {}, shots = ['ss_one', 'ss_two', 'ss_three'] }: Expected,
) {
  const { appId, details } = DEMO_APPS[name]
  const urls = shots.map(
    (shot) =>
      `${world.double.origin}/store_item_assets/steam/apps/${appId}/${shot}.1920x1080.jpg?t=1767225600`,
  )
  const ordinary = {
    name: details?.['name'],
    tagline: 'Guide a small light home, one night at a time.',
    description:
      '# About\n\nGuide a **small** light home.\\\nEvery night is longer.\n\n- Forty levels\n- One button',
    genres: ['adventure'],
    tags: ['adventure', 'indie', '2d', 'relaxing'],
    inputs: ['gamepad'],
    net: 'offline',
    players_min: 1,
    players_max: 1,
    languages: [
      { language: 'en', interface: true, audio: true, subtitles: false },
      { language: 'de', interface: true, audio: false, subtitles: false },
    ],
    requirements: { windows: { minimum: '4 GB RAM', recommended: null } },
    accessibility: ['save_anywhere'],
    status: 'released',
    ...(urls.length > 0 && { cover: urls[0], thumbnail: urls[0], gallery: urls }),
    'press.release_date': 'Mar 4, 2025',
    'press.website': details?.['website'],
    'press.trailer_url': `https://video.akamai.steamstatic.com/store_trailers/${appId}/movie_max.mp4?t=1`,
    'press.team': [
      { name: 'Night Shift', role: 'Developer', url: null },
      { name: 'Small Hours', role: 'Publisher', url: null },
    ],
    price_cents: 1999,
    store_link: `https://store.steampowered.com/app/${appId}/`,
    ...imported,
  }
  return Object.fromEntries(Object.entries(ordinary).filter(([, value]) => value !== undefined))
}

/** What the page says afterwards, by the names of the report. */
async function readPage(person: Person, uid: string): Promise<Record<string, unknown>> {
  const read = async (path: string) =>
    await readData<Record<string, unknown>>(await person.fetch(`/api/v1/private/games/${uid}${path}`))
  const [listing, press] = await Promise.all([read(''), read('/press')])
  const kit = Object.entries(press).map(([field, value]) => [`press.${field}`, value])
  return { ...listing, ...Object.fromEntries(kit) }
}

const PICTURES = new Set(['cover', 'thumbnail', 'gallery', 'store_link'])

describe('the report of every kind of page, field by field', () => {
  test.each(Object.keys(EXPECTED) as AppName[])('%s', async (name) => {
    const expected = EXPECTED[name] ?? {}
    const person = await world.signUpDeveloper()
    // Pictures take seconds: all kinds of pages but these have the same.
    const hasPictures = name === 'paid' || expected.shots !== undefined
    const groups = GROUPS.filter((group) => hasPictures || group !== 'images')
    const body = { app_id: DEMO_APPS[name].appId, groups }
    const shown = await preview(person, body)
    const fields = expectedImport(name, { ...expected, ...(!hasPictures && { shots: [] }) })
    expect(importedOf(shown)).toEqual(fields)
    expect(skippedOf(shown)).toEqual(expected.skipped ?? [INDIE, ...NO_DESCRIPTORS])
    expect(shown.not_imported).toEqual(['achievements', 'add_on_content', 'operating_systems'])
    expect(shown.screenshots.map(({ url }) => url)).toEqual((fields['gallery'] as string[] | undefined) ?? [])

    const { game_uid, report } = await runImport(person, body)
    const { imported, skipped, not_imported } = shown
    expect(report).toEqual({ imported, skipped, not_imported })
    const texts = Object.entries(fields).filter(([field]) => !PICTURES.has(field))
    expect(await readPage(person, game_uid)).toMatchObject(Object.fromEntries(texts))
  })
})
