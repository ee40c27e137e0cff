import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createBuiltinScanner } from '../../../../src/clients/scanner/builtin.ts'
import { createDenylist, type Denylist } from '../../../../src/clients/scanner/denylist.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import { EICAR, makeZip } from '../../../helpers/files/zips.ts'

describe('denylist', () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]
  let dir: string
  let path: string
  let list: Denylist
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'denylist-'))
    path = join(dir, 'denylist.txt')
    list = createDenylist(path, createLogger({ level: 'silent', pretty: false }))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  describe('the deny list', () => {
    test('is empty when there is none', async () => {
      expect([...(await list.read())]).toEqual([])
    })

    test('holds the first word of every line, in any case; the rest is comment', async () => {
      await Bun.write(
        path,
        `# bad files\n\n${a.toUpperCase()}  game.exe\r\n  ${b} # by hand\nnot a hash\n${a}f\n`,
      )
      expect([...(await list.read())]).toEqual([a, b])
    })

    test('is read again when it changed', async () => {
      await Bun.write(path, a)
      expect([...(await list.read())]).toEqual([a])
      await Bun.write(path, `${a}\n${b}`)
      expect([...(await list.read())]).toEqual([a, b])
      await rm(path)
      expect([...(await list.read())]).toEqual([])
    })

    test('that cannot be read is told', async () => {
      const folder = createDenylist(dir, createLogger({ level: 'silent', pretty: false }))
      expect(folder.read()).rejects.toThrow()
    })
  })
})

const scanner = createBuiltinScanner({ read: async () => new Set<string>() })

/** Packed, so that the bytes of the zip itself do not have the test file in them. */
const NESTED = makeZip([{ name: 'a', data: Buffer.concat([Buffer.alloc(500_000), EICAR]) }])

async function* contentOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('zips within a zip are unpacked until what they may unpack to in all is used up', async () => {
  const nested = { bytes: 1_200_000 }
  const verdicts: string[] = []
  for (let times = 0; times < 4; times += 1)
    verdicts.push((await scanner.scan(contentOf(NESTED), { nested })).verdict)
  expect(verdicts).toEqual(['infected', 'infected', 'clean', 'clean'])
  expect(nested.bytes).toBeGreaterThan(0)
})
