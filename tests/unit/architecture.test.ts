import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'

import { MAX_FILES, RULES } from '../helpers/architecture/rules.ts'
import { readSources, toSourceFile } from '../helpers/architecture/source-files.ts'

const ROOT = join(import.meta.dir, '../..')
const files = await readSources()

describe('architecture', () => {
  test('there are sources to judge', () => {
    expect(files.length).toBeGreaterThan(50)
  })

  for (const { name, rule, breach } of RULES) {
    test(name, () => {
      expect(rule(files)).toEqual([])
    })

    test(`${name}: a planted breach is found`, () => {
      const planted = breach.map(([path, text]) => toSourceFile(path, text))
      expect(
        rule([...files.filter(({ path }) => planted.every((file) => file.path !== path)), ...planted]),
      ).not.toEqual(rule(files))
    })
  }

  test(`tests, scripts and chapters keep to ${MAX_FILES} files in a folder, too`, () => {
    const paths = [...new Bun.Glob('{src,tests,infra}/**/*').scanSync({ cwd: ROOT })]
    const folders = Map.groupBy(paths, (path) => dirname(path))
    const full = [...folders].filter(([, inside]) => inside.length > MAX_FILES).map(([folder]) => folder)
    expect(full.filter((folder) => !folder.endsWith('/results'))).toEqual([])
  })
})
