import { describe, expect, test } from 'bun:test'

import { PAIRS } from '../../../src/domain/palette.ts'

const SITE = `${import.meta.dir}/../../../src/site`
const SHARED = new Set(['kit', 'components'])
/** As the head of `kit/styles/tokens.css` says. */
const WIDTHS = ['40rem', '60rem', '72rem']

interface Source {
  path: string
  /** The folder below `src/site`. */
  area: string
  text: string
}

async function readSources(pattern: string): Promise<Source[]> {
  const paths = [...new Bun.Glob(pattern).scanSync(SITE)].sort()
  return await Promise.all(
    paths.map(async (path) => ({
      path,
      area: path.split('/')[0] ?? '',
      text: (await Bun.file(`${SITE}/${path}`).text()).replaceAll(/\/\*.*?\*\//gs, ''),
    })),
  )
}

const sheets = await readSources('**/*.css')
const components = await readSources('**/*.tsx')
const scripts = await readSources('**/*.client.ts')

/** Where a pattern is found outside of the files that may have it, as "path: text". */
function find(sources: readonly Source[], pattern: RegExp, ...allowed: readonly string[]): string[] {
  return sources
    .filter(({ path }) => !allowed.includes(path))
    .flatMap(({ path, text }) => Array.from(text.matchAll(pattern), ([match]) => `${path}: ${match}`))
}

/** The first class of every selector that stands in no other rule. */
function leadingClasses(css: string): string[] {
  const found: string[] = []
  const open: string[] = []
  for (const [, head = '', mark] of css.matchAll(/([^{};]*)([{};])/g)) {
    if (mark === '}') open.pop()
    if (mark !== '{') continue
    const selector = head.trim()
    if (!selector.startsWith('@') && open.every((outer) => outer.startsWith('@'))) found.push(selector)
    open.push(selector)
  }
  return found
    .flatMap((selectors) => selectors.split(/,(?![^(]*\))/))
    .flatMap((selector) => (/^\s*\S*?\.([\w-]+)/.exec(selector) ?? []).slice(1))
}

/** Every token for text with the token behind it, where one rule, or the rule around it, names both. */
function findPairs(css: string): string[] {
  const found: string[] = []
  const open: { color?: string; background?: string }[] = [{}]
  for (const [, head = '', mark] of css.matchAll(/([^{};]*)([{};])/g)) {
    const rule = open.at(-1) ?? {}
    const [, name, token = ''] =
      /^\s*(color|background)(?:-color)?:(?:\s*var\(--([\w-]+)\)\s*$)?/.exec(head) ?? []
    if (name === 'color' || name === 'background') rule[name] = token
    if (mark === '{') open.push({ ...rule })
    if (mark !== '}') continue
    open.pop()
    if (rule.color && rule.background) found.push(`${rule.color} on ${rule.background}`)
  }
  return found
}

function usedClasses(text: string): Set<string> {
  const literals = text.matchAll(
    /class(?:Name|List\.\w+)?(?:=|\(| = )(?:"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\})/g,
  )
  const words = Array.from(literals, ([, double, single, code]) => {
    if (code === undefined) return double ?? single ?? ''
    return Array.from(code.matchAll(/'([^']*)'|`([^`]*)`/g), ([, plain, template]) => plain ?? template).join(
      ' ',
    )
  })
  return new Set(words.join(' ').match(/[\w-]+/g) ?? [])
}

test('a state is shown by the one badge, a date by the one time element', () => {
  expect(find(components, /class=\S*\bbadge\b.*/g, 'kit/labels.tsx')).toEqual([])
  expect(find(components, /<time\b.*|DateTimeFormat|toLocale\w*String/g, 'kit/labels.tsx')).toEqual([])
})

test('parts of pages are swapped by the one helper', () => {
  expect(find(scripts, /from 'idiomorph'|replaceWith\(|outerHTML/g, 'kit/swap.client.ts')).toEqual([])
})

describe('style sheets', () => {
  test('know three widths of the window', () => {
    const queries = find(sheets, /@(?:media|container)[^{]*\b(?:width|inline-size)\b[^{]*/g)
    expect(queries.length).toBeGreaterThan(10)
    const wrong = queries.filter(
      (query) => !WIDTHS.some((width) => new RegExp(`width (?:<|>=) ${width}\\)`).test(query)),
    )
    expect(wrong).toEqual([])
  })

  test('take every colour from the tokens, and define none of their own', () => {
    expect(
      find(sheets, /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|light-dark)\([^)]*\)/gi, 'kit/styles/tokens.css'),
    ).toEqual([])
    expect(find(sheets, /^\s*--[\w-]+:.*/gm, 'kit/styles/tokens.css')).toEqual([])
    const known = new Set(
      Array.from(
        sheets.find(({ path }) => path === 'kit/styles/tokens.css')?.text.matchAll(/--[\w-]+(?=:)/g) ?? [],
        ([name]) => name,
      ),
    )
    const unknown = sheets.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/var\((--[\w-]+)/g), ([, name = '']) =>
        known.has(name) ? '' : `${path}: ${name}`,
      ),
    )
    expect(unknown.filter(Boolean)).toEqual([])
  })

  test('put text on what the palette makes it readable on, whatever the accent is', () => {
    const readable = new Set(PAIRS.flatMap(([text, grounds]) => grounds.map((on) => `${text} on ${on}`)))
    // Pictures and the stage of a game have colours that no accent changes.
    const isFixed = (pair: string) => /picture|stage|backdrop/.test(pair)
    const pairs = sheets.flatMap(({ path, text }) => findPairs(text).map((pair) => ({ path, pair })))
    expect(pairs.length).toBeGreaterThan(30)
    const unknown = pairs.filter(({ pair }) => !readable.has(pair) && !isFixed(pair))
    expect(unknown.map(({ path, pair }) => `${path}: ${pair}`)).toEqual([])
  })

  test('of an area lead with classes that only its own pages have', () => {
    const owners = new Map<string, Set<string>>()
    for (const { area, text } of sheets)
      for (const name of leadingClasses(text)) owners.set(name, (owners.get(name) ?? new Set()).add(area))
    expect(owners.size).toBeGreaterThan(100)
    const several = [...owners].filter(
      ([, areas]) => areas.size > 1 && ![...areas].every((area) => SHARED.has(area)),
    )
    expect(several.map(([name, areas]) => `${name} leads rules of ${[...areas].join(' and ')}`)).toEqual([])
    const strangers = [...components, ...scripts].flatMap(({ path, area, text }) =>
      [...usedClasses(text)].flatMap((name) => {
        const [owner = area] = owners.get(name) ?? []
        return owner === area || SHARED.has(owner) ? [] : `${path} uses ${name} of ${owner}`
      }),
    )
    expect(strangers).toEqual([])
  })
})
