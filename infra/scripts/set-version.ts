import { join } from 'node:path'

/** `package.json` is what the program reads; the others name the image of this version. */
const PLACES: Readonly<Record<string, RegExp>> = {
  'package.json': /(?<="version": ")[^"]+(?=")/,
  'infra/Dockerfile': /(?<=ARG VERSION=)\S+/,
  'infra/compose.yaml': /(?<=image: playshelf:)\S+/,
  'infra/kubernetes/api.yaml': /(?<=image: playshelf:)\S+/,
  'infra/kubernetes/migrate-job.yaml': /(?<=image: playshelf:)\S+/,
  'infra/kubernetes/upload.yaml': /(?<=image: playshelf:)\S+/,
  'infra/kubernetes/worker.yaml': /(?<=image: playshelf:)\S+/,
}
const CHANGELOG = 'infra/docs/CHANGELOG.md'
const UNRELEASED = '## Unreleased\n'
const VERSION = /^\d+\.\d+\.\d+$/

/** Names the version everywhere and gives it what is unreleased in the changelog. Writes nothing if a place is missing. */
export async function setVersion(root: string, version: string, date: string): Promise<void> {
  if (!VERSION.test(version)) throw new Error(`${version} is not a version such as 1.2.0.`)
  const texts = new Map<string, string>()
  for (const [path, place] of Object.entries(PLACES)) {
    const text = await Bun.file(join(root, path)).text()
    if (!place.test(text)) throw new Error(`${path} has no version to replace.`)
    texts.set(path, text.replace(place, version))
  }
  texts.set(CHANGELOG, closeUnreleased(await Bun.file(join(root, CHANGELOG)).text(), version, date))
  for (const [path, text] of texts) await Bun.write(join(root, path), text)
}

function closeUnreleased(text: string, version: string, date: string): string {
  const [before = '', after] = text.split(UNRELEASED)
  if (after === undefined || after.trimStart().startsWith('## '))
    throw new Error(`${CHANGELOG} has nothing under "Unreleased". Write there what changed, then release.`)
  return `${before}${UNRELEASED}\n## ${version} - ${date}\n${after}`
}
