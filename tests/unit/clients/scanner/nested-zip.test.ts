import { expect, test } from 'bun:test'

import { createBuiltinScanner } from '../../../../src/clients/scanner/builtin.ts'
import { EICAR, makeZip } from '../../../helpers/files/zips.ts'

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
