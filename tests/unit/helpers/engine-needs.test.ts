import { expect, test } from 'bun:test'

import { findNeededEngines, findTestFiles } from '../../helpers/engines/needs.ts'

test('arguments choose test files by a part of their path, flags are ignored', async () => {
  const files = await findTestFiles(['./tests/unit/helpers', '--bail'])
  expect(files).toContain('tests/unit/helpers/engine-needs.test.ts')
  expect(files.every((file) => file.includes('tests/unit/helpers'))).toBe(true)
})

test('without arguments every test file is chosen, which needs every engine', async () => {
  const files = await findTestFiles([])
  expect(files.length).toBeGreaterThan(300)
  expect(await findNeededEngines(files)).toEqual([
    ...([
      'postgres',
      'redis',
      's3',
      'clamd',
      'meilisearch',
      'browser',
      'firefox',
      'webkit',
      'python',
      'godot',
      'haproxy',
      'archivers',
    ] as const),
  ])
})

test('unit tests need no engine', async () => {
  expect(await findNeededEngines(await findTestFiles(['tests/unit/']))).toEqual([])
})

test('an engine is needed if an imported helper uses it', async () => {
  expect(await findNeededEngines(['tests/integration/features/community/reviews.test.ts'])).toEqual([
    'postgres',
  ])
  expect(await findNeededEngines(['tests/contract/object-store.test.ts'])).toContain('s3')
})
