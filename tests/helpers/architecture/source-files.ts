import { dirname, join, relative } from 'node:path'

const SRC = join(import.meta.dir, '../../../src')

export interface SourceFile {
  /** Relative to `src`. */
  path: string
  text: string
  /** `isLazy`: loaded when a function first runs. */
  imports: { target: string; isLocal: boolean; isLazy: boolean }[]
}

export async function readSources(): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(new Bun.Glob('**/*.{ts,tsx}').scan(SRC))
  return await Promise.all(
    paths.sort().map(async (path) => toSourceFile(path, await Bun.file(join(SRC, path)).text())),
  )
}

export function toSourceFile(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(/(?:from|import)\s*(\()?\s*'([^']+)'/g)].map(
    ([, bracket, specifier = '']) => {
      const isLazy = bracket !== undefined
      return specifier.startsWith('.')
        ? { target: relative(SRC, join(SRC, dirname(path), specifier)), isLocal: true, isLazy }
        : { target: specifier, isLocal: false, isLazy }
    },
  )
  return { path, text, imports }
}
