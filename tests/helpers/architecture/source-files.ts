import { dirname, join, relative } from 'node:path'

const SRC = join(import.meta.dir, '../../../src')

export interface SourceFile {
  /** Relative to `src`. */
  path: string
  text: string
  imports: { target: string; isLocal: boolean }[]
}

export async function readSources(): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(new Bun.Glob('**/*.{ts,tsx}').scan(SRC))
  return await Promise.all(
    paths.sort().map(async (path) => toSourceFile(path, await Bun.file(join(SRC, path)).text())),
  )
}

export function toSourceFile(path: string, text: string): SourceFile {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(
    (match) => match[1] ?? [],
  )
  const imports = specifiers.map((specifier) =>
    specifier.startsWith('.')
      ? { target: relative(SRC, join(SRC, dirname(path), specifier)), isLocal: true }
      : { target: specifier, isLocal: false },
  )
  return { path, text, imports }
}
