import { describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CHAPTER } from '../bench/report/write-results.ts'
import { SCENARIOS } from '../bench/scenarios/all.ts'

test('the chapter of figures has a row for every scenario', async () => {
  const text = await Bun.file(CHAPTER).text()
  const rows = new Set([...text.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name))
  // The figures of `scale` are a chapter of their own.
  const expected = SCENARIOS.map(({ name }) => name).filter((name) => name !== 'scale')
  expect(expected.filter((name) => !rows.has(name))).toEqual([])
})

describe('the engines of the bench', () => {
  const scenarios = join(import.meta.dir, '../bench/scenarios')

  test('scenarios name those that they start', async () => {
    const starters = { s3: /startS3|runObjectStoreBench/, meilisearch: /startMeilisearch/ } as const
    for await (const file of new Bun.Glob('**/*.ts').scan(scenarios)) {
      const text = await Bun.file(join(scenarios, file)).text()
      for (const [engine, starter] of Object.entries(starters)) {
        const isNamed = new RegExp(`engines: \\[[^\\]]*'${engine}'`).test(text)
        expect({ file, engine, isNamed }).toEqual({ file, engine, isNamed: starter.test(text) })
      }
    }
    const needy = SCENARIOS.filter(({ engines }) => engines !== undefined).map(({ name }) => name)
    expect(needy).toEqual([
      'object-store',
      'play',
      'uploads',
      'upload-crowd',
      'upload-memory',
      'saves',
      'get',
      'siege',
      'search-meili',
    ])
  })

  test.skipIf(process.getuid?.() !== 0)('of the chosen scenario are installed, and no others', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'playshelf-bench-test-'))
    const log = join(dir, 'log')
    await Bun.write(join(dir, 'apt-get'), `#!/bin/sh\necho "$@" >> ${log}\n`)
    await chmod(join(dir, 'apt-get'), 0o755)
    const child = Bun.spawn([process.execPath, join(scenarios, '../run.ts'), '--json', 'object-store'], {
      env: { ...process.env, PATH: dir },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const commands = await Bun.file(log).text()
    await rm(dir, { recursive: true })
    expect(commands).toBe(
      '-qq update\n-qq install -y --no-install-recommends ceph-mon ceph-osd radosgw ceph-common\n',
    )
    expect(err).toContain('s3 cannot be started here; install ceph-mon ceph-osd radosgw ceph-common first')
    expect(JSON.parse(out)).toMatchObject({ lines: [], broken: [{ scenario: 'object-store' }] })
    expect(code).toBe(1)
  })
})
