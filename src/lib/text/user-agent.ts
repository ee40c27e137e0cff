/** The first match wins. Browsers also name those they descend from, so the youngest come first. */
const FAMILIES = [
  ['bot', /bot\b|bot[/;]|crawl|spider|slurp|preview|facebookexternalhit/i],
  ['godot', /godot/i],
  ['launcher', /playshelf|launcher|electron|\bitch\b|steam|heroic|lutris/i],
  ['curl', /^curl\b/i],
  ['wget', /^wget\b/i],
  ['edge', /\bEdg(?:e|A|iOS)?\//],
  ['opera', /\b(?:OPR|OPT|Opera)\b/],
  ['samsung', /\bSamsungBrowser\//],
  ['firefox', /\b(?:Firefox|FxiOS)\//],
  ['chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['safari', /\bSafari\//],
  [
    'script',
    /^(?:python|node|undici|bun|deno|go-http-client|okhttp|java|ruby|php|perl|aria2|libcurl|axios)|powershell/i,
  ],
] as const

export const CLIENTS = [...FAMILIES.map(([name]) => name), 'other', 'none'] as const
export type Client = (typeof CLIENTS)[number]

/** Only this much is read; real programs do not need more. */
const LENGTH_READ = 512

/** Maps a program to one of a few fixed words: enough to count, too little to identify anyone. */
export function parseClient(userAgent: string | null): Client {
  const text = userAgent?.trim().slice(0, LENGTH_READ) ?? ''
  if (text === '') return 'none'
  return FAMILIES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}
