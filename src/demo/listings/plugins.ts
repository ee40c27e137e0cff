import { type DemoListing, works } from '../listing-data.ts'

export const PLUGINS: readonly DemoListing[] = [
  {
    vanityName: 'kiln-normal-maps',
    name: 'Normal Maps for Pixel Kiln',
    by: 'lantern-works',
    assetType: 'plugin',
    tagline: 'Light for flat drawings.',
    description: `
Adds a step to the kiln that turns a drawing and four brush strokes into a normal map, so that sprites react to lamps.

We needed it for the passengers of The Last Ferry, who are lit by one lantern each. It guesses the shape from outlines
and lets you correct it with a brush that paints *direction* instead of colour. Works on whole sheets and remembers your
corrections when the drawing changes.
`,
    daysAgo: 205,
    art: ['ribbons', 'candy'],
    tags: ['normal-maps', 'lighting', 'pixel-art', 'sprites'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc-by',
    parent: 'pixel-kiln',
    supports: ['pixel-kiln'],
    modSettings: {
      install_path: 'plugins',
      loader: 'kiln',
      instructions: 'Drop it in and look for **Light** in the steps.',
    },
  },
  {
    vanityName: 'palette-postcards',
    name: 'Palette Postcards',
    by: 'moss-jam',
    assetType: 'plugin',
    tagline: 'Steal colours from your holiday pictures.',
    description: `
Drop a photo on Pixel Kiln and get a palette of eight, sixteen or thirty-two colours that belong together. Then send it
to a friend as a postcard: a tiny picture that carries the palette inside.

Colours are chosen by how far apart they look, not by how often they occur, so the one red buoy in a grey harbour
survives. Forty-eight postcards from our own trips are included.
`,
    daysAgo: 125,
    art: ['glass', 'candy'],
    tags: ['palette', 'colours', 'pixel-art', 'sharing'],
    authorship: 'human',
    anonymousDownloads: true,
    licenseKind: 'cc0',
    parent: 'pixel-kiln',
    supports: ['pixel-kiln'],
    modSettings: { install_path: 'plugins', loader: 'kiln', instructions: null },
  },
  {
    vanityName: 'loom-granular',
    name: 'Grain Mill',
    by: 'vetiver-audio',
    assetType: 'plugin',
    tagline: 'A granular machine for Loom & Tape that grinds sounds into weather.',
    description: `
Put a sound in, choose how coarse, and turn the wheel. Slow gives you gravel and surf, fast gives you air. Hold the
wheel and it becomes a note.

Grain Mill sits next to the four tapes and can feed back into them. Its settings are written into the exported stems, so
a game that uses our small runtime can keep grinding after the recording ends.
`,
    daysAgo: 240,
    art: ['waves', 'sand'],
    tags: ['granular', 'synthesis', 'audio', 'sound-design'],
    authorship: 'human',
    priceCents: 1499,
    licenseKind: 'proprietary',
    parent: 'loom-and-tape',
    supports: ['loom-and-tape'],
    engineCompat: [
      works('godot', '4.1', '4.4', { platform: 'linux' }),
      works('godot', '4.1', '4.4', { platform: 'windows' }),
    ],
    modSettings: {
      install_path: 'machines',
      loader: 'loom',
      instructions: 'Copy, restart, pull out a fifth chair.',
    },
  },
  {
    vanityName: 'marginalia-timeline',
    name: 'Timeline for Marginalia',
    by: 'ida-halvorsen',
    assetType: 'plugin',
    tagline: 'See every scene on the evening it happens.',
    description: `
A second view for Marginalia that puts your cards on a line of hours, days or centuries. Scenes that happen at the same
time lie above each other; scenes that cannot both happen turn red.

I wrote it because three hundred and six letters have three hundred and six dates. It reads dates in words (*the night
before the thaw*), remembers what you meant, and prints on long paper.
`,
    daysAgo: 320,
    art: ['nodes', 'frost'],
    tags: ['timeline', 'writing', 'planning', 'dates'],
    authorship: 'human',
    priceCents: 599,
    licenseKind: 'source-available',
    parent: 'marginalia',
    supports: ['marginalia'],
    modSettings: { install_path: 'plugins/timeline', loader: 'marginalia', instructions: null },
  },
  {
    vanityName: 'harbour-weather',
    name: 'Harbour Weather',
    by: 'okapi-lab',
    assetType: 'plugin',
    tagline: 'Real weather for your Longshore port, from any harbour in the world.',
    description: `
Choose a real harbour and Longshore gets its wind, tide and rain, as measured or as they were on any day since 1979. Our
favourite is a small one where it has not been dry on a Sunday for eleven years.

Data comes from public archives and is kept on your machine, a season at a time. Without a network the plugin invents
days that fit the season and says so.
`,
    daysAgo: 30,
    art: ['sea', 'ink'],
    tags: ['weather', 'real-data', 'simulation', 'online'],
    net: 'online',
    authorship: 'human_agent',
    aiUses: ['code'],
    anonymousDownloads: true,
    licenseKind: 'cc-by-sa',
    parent: 'longshore',
    supports: ['longshore'],
    modSettings: {
      install_path: 'plugins/weather',
      loader: 'longshore',
      instructions: 'Set your harbour in `weather.toml`.',
    },
  },
]
