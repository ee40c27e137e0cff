import { join } from 'node:path'

const NAMES = [
  'frame',
  'compare',
  'gallery',
  'search',
  'studio',
  'editor',
  'media',
  'upload',
  'live',
  'hash-worker',
] as const
type Name = (typeof NAMES)[number]

/** The scripts of the site. `bun run build` replaces this module with the bundled texts. */
export const ISLANDS: Readonly<Record<Name, string>> = await bundleIslands()

/** Each by itself: the outputs of one build come in no particular order. */
async function bundleIslands(): Promise<Record<Name, string>> {
  const texts = await Promise.all(NAMES.map(bundle))
  return Object.fromEntries(NAMES.map((name, index) => [name, texts[index] ?? ''])) as Record<Name, string>
}

async function bundle(name: Name): Promise<string> {
  const result = await Bun.build({
    entrypoints: [join(import.meta.dir, `${name}.ts`)],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  return (await result.outputs[0]?.text()) ?? ''
}
