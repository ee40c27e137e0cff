import { join } from 'node:path'

const NAMES = ['frame', 'compare', 'gallery', 'search', 'studio', 'editor', 'media'] as const
type Name = (typeof NAMES)[number]

/** The scripts of the site. `bun run build` replaces this module with the bundled texts. */
export const ISLANDS: Readonly<Record<Name, string>> = await bundleIslands()

async function bundleIslands(): Promise<Record<Name, string>> {
  const result = await Bun.build({
    entrypoints: NAMES.map((name) => join(import.meta.dir, `${name}.ts`)),
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  const texts = await Promise.all(result.outputs.map((output) => output.text()))
  return Object.fromEntries(NAMES.map((name, index) => [name, texts[index] ?? ''])) as Record<Name, string>
}
