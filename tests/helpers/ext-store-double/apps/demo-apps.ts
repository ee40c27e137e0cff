import { gamePage, newMovie, oldMovie, price, screenshot, type StoreFixture } from '../fixture.ts'

/** One page for each way in which pages differ, named by its key. */
export const DEMO_APPS = {
  paid: gamePage(700_010, 'Lantern Keeper'),

  free: gamePage(700_020, 'Open Harbour', {
    is_free: true,
    price_overview: undefined,
    categories: [
      { id: 1, description: 'Multi-player' },
      { id: 20, description: 'MMO' },
      { id: 36, description: 'Online PvP' },
    ],
    genres: [
      { id: '1', description: 'Action' },
      { id: '29', description: 'Massively Multiplayer' },
      { id: '37', description: 'Free To Play' },
    ],
  }),

  discounted: gamePage(700_030, 'Half Price Heroes', { price_overview: price(2999, { discount: 75 }) }),

  paidInEuro: gamePage(700_040, 'Nordlicht', { price_overview: price(1499, { currency: 'EUR' }) }),

  comingSoon: gamePage(700_050, 'Not Yet Named', {
    price_overview: undefined,
    release_date: { coming_soon: true, date: 'Q3 2027' },
    movies: undefined,
    website: null,
  }),

  adult: gamePage(700_060, 'After Midnight', {
    required_age: '18',
    content_descriptors: { ids: [1, 3, 4, 5], notes: 'Adult-only scenes between adults.' },
    genres: [
      { id: '4', description: 'Casual' },
      { id: '71', description: 'Sexual Content' },
      { id: '72', description: 'Nudity' },
    ],
    ratings: { usk: { rating: '18', required_age: '18', banned: '0' } },
  }),

  violent: gamePage(700_070, 'Iron Harvest Moon', {
    required_age: '17+',
    content_descriptors: { ids: [2], notes: 'Frequent violence &amp; gore.' },
    genres: [
      { id: '1', description: 'Action' },
      { id: '73', description: 'Violent' },
      { id: '74', description: 'Gore' },
    ],
  }),

  noScreenshots: gamePage(700_080, 'Text Only', { screenshots: [], movies: [] }),

  smallScreenshots: {
    ...gamePage(700_090, 'Tiny Pixels', {
      screenshots: ['ss_tiny', 'ss_small', 'ss_large'].map((name, id) => screenshot(700_090, id, name)),
    }),
    pictures: {
      'ss_tiny.1920x1080.jpg': [640, 360],
      'ss_small.1920x1080.jpg': [1279, 720],
      'ss_large.1920x1080.jpg': [1280, 720],
    },
  },

  manyScreenshots: {
    ...gamePage(700_100, 'Photo Safari', {
      screenshots: Array.from({ length: 15 }, (_, id) => screenshot(700_100, id, `ss_${id}`)),
    }),
    pictures: Object.fromEntries(
      Array.from({ length: 15 }, (_, id) => [`ss_${id}.1920x1080.jpg`, [1280, 720] as const]),
    ),
  },

  dlc: gamePage(700_110, 'Lantern Keeper: Soundtrack', {
    type: 'dlc',
    fullgame: { appid: '700010', name: 'Lantern Keeper' },
  }),

  demo: gamePage(700_120, 'Lantern Keeper Demo', { type: 'demo', price_overview: undefined, is_free: true }),

  removed: { appId: 700_130, details: null },

  oddHtml: gamePage(700_140, 'Broken <b>Markup</b>', {
    short_description:
      'Tom &amp; Jerry&#039;s &quot;last&quot; stand &hellip; it&#x2019;s over &mdash; 100&nbsp;% real.',
    detailed_description:
      '<h2 class="bb_tag">What<h2>is this</h2><ul class="bb_ul"><li>One<li>Two<ul><li>Two and a half</ul></ul>' +
      '<a href="https://steamcommunity.com/linkfilter/?u=https%3A%2F%2Fexample.org%2Fnews" target="_blank">News</a>' +
      '<img src="https://shared.akamai.steamstatic.com/x/extras/banner.gif?t=1" /><br><br/>' +
      '<script>alert(1)</script><style>p{}</style><p onclick="x()">2 * 3 < 7 & [not](a link)</p>' +
      '<table class="bb_table"><tr><th>Key</th><th>Does</th></tr><tr><td>W</td><td>walks</td></tr></table>' +
      '<blockquote>&ldquo;Fine&rdquo;</blockquote><b>bold <i>both</b> open</i> &lt;script&gt; &unknown; end',
  }),

  streamsOnly: gamePage(700_150, 'Modern Trailer', { movies: [newMovie(700_150)] }),

  twoMovies: gamePage(700_160, 'Two Trailers', {
    movies: [{ ...newMovie(700_160), highlight: false }, oldMovie(700_160)],
  }),

  mixedTypes: gamePage(700_170, 'Loose Types', {
    required_age: '0',
    steam_appid: '700170',
    is_free: 'false',
    price_overview: { ...price(999), initial: '999' },
    pc_requirements: [],
    developers: undefined,
    publishers: [null, 'Small Hours', ''],
    categories: [{ id: '24', description: 'Shared/Split Screen' }, null],
    genres: [{ id: 9, description: 'Racing' }],
    release_date: { coming_soon: false, date: '' },
    website: '',
  }),

  redirected: { ...gamePage(700_010, 'Lantern Keeper'), appId: 700_180 },
} as const satisfies Record<string, StoreFixture>
