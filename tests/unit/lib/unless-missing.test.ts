import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unlessMissing } from '../../../src/lib/unless-missing.ts'

test('a file that is not there is null, one that cannot be read is an error', async () => {
  expect(await unlessMissing(readFile(join(tmpdir(), crypto.randomUUID())))).toBeNull()
  expect(unlessMissing(readFile(tmpdir()))).rejects.toThrow('EISDIR')
  expect(await unlessMissing(readFile(import.meta.path, 'utf8'))).toContain('unlessMissing')
})
