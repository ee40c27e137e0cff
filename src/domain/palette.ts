import { contrastOf, toHex, toOklch } from '../lib/color/oklch.ts'

/** The colours of one theme, by the names of the tokens. */
export type Palette = Readonly<Record<Token, string>>

export const SURFACES = ['page', 'raised', 'sunken', 'hover'] as const
const SOFT = ['accent-soft', 'good-soft', 'fair-soft', 'warn-soft', 'bad-soft'] as const
const TONES = ['good', 'fair', 'warn', 'bad'] as const
const TOKENS = [
  ...SURFACES,
  ...SOFT,
  ...TONES,
  'line',
  'edge',
  'ink',
  'quiet',
  'accent',
  'accent-ink',
  'bad-ink',
] as const
type Token = (typeof TOKENS)[number]

/** WCAG AA: text, and the edges of controls. */
const TEXT_RATIO = 4.5
const EDGE_RATIO = 3
/** On dark surfaces a colour that just passes looks dull. */
const DARK_ACCENT_RATIO = 6

/** What can stand on what: text, its backgrounds, and the least contrast between them. */
export const PAIRS: readonly (readonly [text: Token, on: readonly Token[], ratio: number])[] = [
  ['ink', [...SURFACES, ...SOFT], TEXT_RATIO],
  ['quiet', [...SURFACES, ...SOFT], TEXT_RATIO],
  ['accent', [...SURFACES, ...SOFT], TEXT_RATIO],
  ...TONES.map((tone) => [tone, [...SURFACES, `${tone}-soft`], TEXT_RATIO] as const),
  ['edge', ['page', 'raised', 'sunken'], EDGE_RATIO],
  ['accent-ink', ['accent'], TEXT_RATIO],
  ['bad-ink', ['bad'], TEXT_RATIO],
]

export const THEME_NAMES = ['light', 'dark'] as const
export type ThemeName = (typeof THEME_NAMES)[number]

/** Playshelf's own colours; `kit/styles/tokens.css` has the same. */
export const DEFAULT_ACCENT = '#4f3bd6'
const DEFAULTS: Readonly<Record<ThemeName, Palette>> = {
  light: {
    page: '#f6f6f9',
    raised: '#ffffff',
    sunken: '#ececf2',
    hover: '#f0f0f6',
    line: '#dddee7',
    edge: '#80859a',
    ink: '#191a23',
    quiet: '#555a6b',
    accent: '#4f3bd6',
    'accent-ink': '#ffffff',
    'accent-soft': '#ebe8ff',
    good: '#0b6e4f',
    'good-soft': '#e0f4ec',
    fair: '#1d4fd7',
    'fair-soft': '#e4ecff',
    warn: '#8a5300',
    'warn-soft': '#fdf0d9',
    bad: '#b42336',
    'bad-soft': '#fde6e9',
    'bad-ink': '#ffffff',
  },
  dark: {
    page: '#0e0f14',
    raised: '#171922',
    sunken: '#0a0b0f',
    hover: '#1f222d',
    line: '#2a2d3a',
    edge: '#6b7185',
    ink: '#eceef5',
    quiet: '#a3a9bc',
    accent: '#b3adff',
    'accent-ink': '#14102e',
    'accent-soft': '#262244',
    good: '#5cd6a9',
    'good-soft': '#10281f',
    fair: '#8db4ff',
    'fair-soft': '#15213d',
    warn: '#f2bd66',
    'warn-soft': '#2c2110',
    bad: '#ff909c',
    'bad-soft': '#331419',
    'bad-ink': '#2b0a0e',
  },
}

/** Neutral tokens take the hue of the accent; those of states keep their own. */
const TINTED = new Set<Token>([
  ...SURFACES,
  'line',
  'edge',
  'ink',
  'quiet',
  'accent',
  'accent-ink',
  'accent-soft',
])
/** An accent of this chroma or more tints fully, a grey one not at all. */
const FULL_TINT = 0.13
const STEP = 0.004

/** The palette of both themes. Whatever the accent is, every pair that carries text passes WCAG AA. */
export function derivePalette(accent: string): Readonly<Record<ThemeName, Palette>> {
  if (accent === DEFAULT_ACCENT) return DEFAULTS
  return { light: deriveTheme(accent, 'light'), dark: deriveTheme(accent, 'dark') }
}

function deriveTheme(accent: string, theme: ThemeName): Palette {
  const base = DEFAULTS[theme]
  const wanted = toOklch(accent)
  const tint = Math.min(1, wanted.c / FULL_TINT)
  const palette: Record<Token, string> = { ...base }
  for (const token of TINTED) {
    const { l, c } = toOklch(base[token])
    palette[token] = toHex({ l, c: c * tint, h: wanted.h })
  }
  palette.accent = accent
  const away = theme === 'light' ? -STEP : STEP
  for (const [token, on, ratio] of PAIRS) {
    if (token === 'accent-ink' || token === 'bad-ink') continue
    const least = token === 'accent' && theme === 'dark' ? DARK_ACCENT_RATIO : ratio
    const grounds = on.map((name) => palette[name])
    palette[token] = moveUntilReadable(palette[token], grounds, least, away)
  }
  for (const [ink, ground] of [
    ['accent-ink', 'accent'],
    ['bad-ink', 'bad'],
  ] as const) {
    palette[ink] = moveUntilReadable(palette[ink], [palette[ground]], TEXT_RATIO, -away)
  }
  return palette
}

/** Darker or lighter, step by step, until it can be read on all of them. */
function moveUntilReadable(hex: string, grounds: readonly string[], ratio: number, step: number): string {
  const { l, c, h } = toOklch(hex)
  let moved = hex
  for (let lightness = l; !isReadable(moved, grounds, ratio); lightness += step) {
    if (lightness < 0 || lightness > 1) return step < 0 ? '#000000' : '#ffffff'
    moved = toHex({ l: lightness, c, h })
  }
  return moved
}

function isReadable(hex: string, grounds: readonly string[], ratio: number): boolean {
  return grounds.every((ground) => contrastOf(hex, ground) >= ratio)
}

/** As a style sheet that replaces the tokens of the same names. */
export function writePalette({ light, dark }: Readonly<Record<ThemeName, Palette>>): string {
  const lines = TOKENS.map((token) => `    --${token}: light-dark(${light[token]}, ${dark[token]});\n`)
  return `@layer tokens {\n  :root {\n${lines.join('')}  }\n}\n`
}

interface Contrast {
  text: Token
  on: Token
  ratio: number
  least: number
}

/** Every pair of one theme with its contrast. */
export function measurePalette(palette: Palette): Contrast[] {
  return PAIRS.flatMap(([text, on, least]) =>
    on.map((ground) => ({ text, on: ground, ratio: contrastOf(palette[text], palette[ground]), least })),
  )
}
