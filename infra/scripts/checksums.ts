import { basename, join } from 'node:path'

/** Writes the SHA-256 of the files, in the format of `sha256sum`, beside them. Returns the path. */
export async function writeChecksums(
  folder: string,
  name: string,
  paths: readonly string[],
): Promise<string> {
  const lines: string[] = []
  for (const path of paths) {
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const bytes of Bun.file(path).stream()) hasher.update(bytes)
    lines.push(`${hasher.digest('hex')}  ${basename(path)}\n`)
  }
  const outfile = join(folder, name)
  await Bun.write(outfile, lines.join(''))
  return outfile
}
