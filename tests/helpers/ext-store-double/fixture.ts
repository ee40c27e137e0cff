/** The address of pictures in recorded responses; the double replaces it with its own. */
export const PICTURES = 'https://shared.akamai.steamstatic.com/store_item_assets/steam/apps'

export interface StoreFixture {
  /** The id in the request. */
  appId: number
  /** `data` of the storefront's response; null: `success` is false and there is no `data`. */
  details: Readonly<Record<string, unknown>> | null
  /** Tag ids with the number of votes. */
  tags?: readonly (readonly [tagId: number, weight: number])[]
  /** Real sizes by file name; the sizes in the names can differ. */
  pictures?: Readonly<Record<string, readonly [width: number, height: number]>>
}

/** A game's page with every field set; `changes` replace fields, `undefined` removes them. */
export function gamePage(appId: number, name: string, changes: Record<string, unknown> = {}): StoreFixture {
  const shots = ['ss_one', 'ss_two', 'ss_three']
  const details: Record<string, unknown> = {
    type: 'game',
    name,
    steam_appid: appId,
    required_age: 0,
    is_free: false,
    controller_support: 'full',
    detailed_description:
      '<h1>About</h1><p>Guide a <strong>small</strong> light home.<br>Every night is longer.</p>' +
      '<ul class="bb_ul"><li>Forty levels<br></li><li>One button</li></ul>',
    about_the_game: '<p>Guide a <strong>small</strong> light home.</p>',
    short_description: 'Guide a small light home, one night at a time.',
    supported_languages: 'English<strong>*</strong>, German<br><strong>*</strong>languages with full audio',
    header_image: `${PICTURES}/${appId}/header.jpg?t=1767225600`,
    website: `https://${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.example.org/`,
    pc_requirements: { minimum: '<strong>Minimum:</strong><br><ul class="bb_ul"><li>4 GB RAM</li></ul>' },
    mac_requirements: [],
    linux_requirements: [],
    developers: ['Night Shift'],
    publishers: ['Small Hours'],
    price_overview: price(1999),
    packages: [appId + 1],
    platforms: { windows: true, mac: false, linux: true },
    categories: [
      { id: 2, description: 'Single-player' },
      { id: 28, description: 'Full controller support' },
      { id: 79, description: 'Save Anytime' },
    ],
    genres: [
      { id: '25', description: 'Adventure' },
      { id: '23', description: 'Indie' },
    ],
    screenshots: shots.map((shot, id) => screenshot(appId, id, shot)),
    movies: [oldMovie(appId)],
    achievements: { total: 12, highlighted: [] },
    release_date: { coming_soon: false, date: 'Mar 4, 2025' },
    support_info: { url: '', email: 'help@example.org' },
    content_descriptors: { ids: [], notes: null },
    ratings: null,
    ...changes,
  }
  return {
    appId,
    details,
    tags: [
      [21, 900],
      [492, 700],
      [3871, 500],
      [1654, 300],
    ],
    // The smallest that an import takes.
    pictures: Object.fromEntries(shots.map((shot) => [`${shot}.1920x1080.jpg`, [1280, 720] as const])),
  }
}

export function screenshot(appId: number, id: number, name: string): object {
  return {
    id,
    path_thumbnail: `${PICTURES}/${appId}/${name}.600x338.jpg?t=1767225600`,
    path_full: `${PICTURES}/${appId}/${name}.1920x1080.jpg?t=1767225600`,
  }
}

export function price(initial: number, { currency = 'USD', discount = 0 } = {}): object {
  const final = Math.round((initial * (100 - discount)) / 100)
  return {
    currency,
    initial,
    final,
    discount_percent: discount,
    initial_formatted: discount === 0 ? '' : `$${initial / 100}`,
    final_formatted: `$${final / 100}`,
  }
}

/** The format until 2025: whole files. */
export function oldMovie(appId: number): object {
  const base = `http://video.akamai.steamstatic.com/store_trailers/${appId}`
  return {
    id: appId + 10,
    name: 'Trailer',
    thumbnail: `${base}/movie.293x165.jpg?t=1767225600`,
    webm: { '480': `${base}/movie480_vp9.webm?t=1`, max: `${base}/movie_max_vp9.webm?t=1` },
    mp4: { '480': `${base}/movie480.mp4?t=1`, max: `${base}/movie_max.mp4?t=1` },
    highlight: true,
  }
}

/** The format since 2025: streams only. */
export function newMovie(appId: number): object {
  const base = `https://video.akamai.steamstatic.com/store_trailers/${appId}/1/2/3`
  return {
    id: appId + 11,
    name: 'Launch',
    thumbnail: `${base}/movie_600x337.jpg?t=1767225600`,
    dash_av1: `${base}/dash_av1.mpd?t=1`,
    dash_h264: `${base}/dash_h264.mpd?t=1`,
    hls_h264: `${base}/hls_264_master.m3u8?t=1`,
    highlight: true,
  }
}
