import { expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'

import { setVersion } from '../../infra/scripts/set-version.ts'
import { version as current } from '../../package.json'
import { createTempDir } from '../helpers/processes/child.ts'

const ROOT = join(import.meta.dir, '../..')
const NEXT = '97.98.99'

/** Where the version of the product may stand; elsewhere the same digits are somebody else's version. */
const MENTION = new RegExp(`(playshelf:|VERSION=|"version": "|## )${current.replaceAll('.', String.raw`\.`)}`)

async function copyTree() {
  const dir = await createTempDir('release')
  for (const path of ['package.json', 'infra']) {
    await cp(join(ROOT, path), join(dir.path, path), { recursive: true })
  }
  const changelog = join(dir.path, 'infra/docs/CHANGELOG.md')
  await Bun.write(changelog, '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.0.9\n')
  return { ...dir, changelog }
}

test('a release names its version in every file and closes the changelog', async () => {
  const tree = await copyTree()
  await setVersion(tree.path, NEXT, '2026-01-31')
  const files = await Array.fromAsync(new Bun.Glob('**/*').scan({ cwd: tree.path }))
  expect(files).toContain('infra/kubernetes/worker.yaml')
  const old: string[] = []
  for (const file of files) if (MENTION.test(await Bun.file(join(tree.path, file)).text())) old.push(file)
  expect(old).toEqual([])
  expect(await Bun.file(tree.changelog).text()).toBe(
    `# Changelog\n\n## Unreleased\n\n## ${NEXT} - 2026-01-31\n\n### Added\n\n- A thing.\n\n## 0.0.9\n`,
  )
  await tree.remove()
})

test('a release without changes, or with a name that is no version, changes nothing', async () => {
  const tree = await copyTree()
  expect(setVersion(tree.path, 'v2', '2026-01-31')).rejects.toThrow('v2 is not a version')
  await Bun.write(tree.changelog, '# Changelog\n\n## Unreleased\n\n## 0.0.9\n')
  expect(setVersion(tree.path, NEXT, '2026-01-31')).rejects.toThrow('nothing under "Unreleased"')
  expect(await Bun.file(join(tree.path, 'package.json')).text()).toContain(`"version": "${current}"`)
  await tree.remove()
})
