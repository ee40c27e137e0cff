import { describe, expect, test } from 'bun:test'

import { RULES } from '../helpers/architecture-rules.ts'
import { readSources, toSourceFile } from '../helpers/source-files.ts'

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
})
