/** How pages look, apart from their colours. Each choice replaces tokens of `kit/styles/tokens.css`. */

/** The parts of a typeface that browsers load one by one, when a page has a character of them. */
const FONT_PARTS = {
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  'latin-ext':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
} as const
export type FontPart = keyof typeof FONT_PARTS
export const FONT_PART_NAMES = Object.keys(FONT_PARTS) as FontPart[]

interface Typeface {
  family: string
  /** The range of its weights. */
  weights: string
  /** What is shown for other scripts, and until it is loaded. */
  fallback: string
}

/** Shipped in `features/settings/typefaces`, each with its licence (OFL 1.1). */
export const TYPEFACES = {
  figtree: { family: 'Figtree', weights: '300 900', fallback: 'system-ui, sans-serif' },
  grotesk: { family: 'Space Grotesk', weights: '300 700', fallback: 'system-ui, sans-serif' },
  literata: { family: 'Literata', weights: '200 900', fallback: 'Georgia, serif' },
  atkinson: { family: 'Atkinson Hyperlegible Next', weights: '200 800', fallback: 'system-ui, sans-serif' },
} as const satisfies Record<string, Typeface>
export type TypefaceName = keyof typeof TYPEFACES
export const TYPEFACE_NAMES = Object.keys(TYPEFACES) as TypefaceName[]

type Tokens = Readonly<Record<string, string>>

export const CORNERS = {
  rounded: {},
  square: { 'radius-s': '0', radius: '0', 'radius-l': '0' },
  round: { 'radius-s': '0.625rem', radius: '1.125rem', 'radius-l': '1.75rem' },
} as const satisfies Record<string, Tokens>

/** Controls stay at least 40 pixels high, so that a thumb hits them. */
export const DENSITIES = {
  comfortable: {},
  compact: {
    'space-4': '0.75rem',
    'space-5': '1.125rem',
    'space-6': '1.5rem',
    'space-7': '2rem',
    'space-8': '2.75rem',
    control: '2.5rem',
  },
  airy: {
    'space-4': '1.25rem',
    'space-5': '1.875rem',
    'space-6': '2.5rem',
    'space-7': '4rem',
    'space-8': '5.5rem',
    control: '3rem',
  },
} as const satisfies Record<string, Tokens>

export interface Looks {
  typeface: TypefaceName | 'system'
  corner: keyof typeof CORNERS
  density: keyof typeof DENSITIES
}

/** A style sheet that replaces tokens; empty for the looks of `tokens.css`. */
export function writeLooks(
  { typeface, corner, density }: Looks,
  fontPath: (name: TypefaceName, part: FontPart) => string,
): string {
  const face = typeface === 'system' ? null : TYPEFACES[typeface]
  const tokens: Tokens = {
    ...CORNERS[corner],
    ...DENSITIES[density],
    ...(face && { sans: `'${face.family}', ${face.fallback}` }),
  }
  const lines = Object.entries(tokens).map(([name, value]) => `    --${name}: ${value};\n`)
  if (lines.length === 0) return ''
  const faces =
    typeface === 'system' ? [] : FONT_PART_NAMES.map((part) => writeFace(typeface, part, fontPath))
  return `${faces.join('')}@layer tokens {\n  :root {\n${lines.join('')}  }\n}\n`
}

/** `optional`: a slow connection shows the fallback to the end, so that no text jumps. */
function writeFace(
  name: TypefaceName,
  part: FontPart,
  fontPath: (name: TypefaceName, part: FontPart) => string,
) {
  const { family, weights } = TYPEFACES[name]
  return `@font-face {
  font-family: '${family}';
  font-weight: ${weights};
  font-display: optional;
  src: url(${fontPath(name, part)}) format('woff2');
  unicode-range: ${FONT_PARTS[part]};
}
`
}
