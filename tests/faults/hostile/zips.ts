import type { Random } from '../../../src/lib/random.ts'
import { makeZip, type ZipPart } from '../../helpers/files/zips.ts'

const MIB = 1024 * 1024
const HIDDEN = Buffer.from('bytes that no entry covers')

/** A zip that an archive tool may read differently than the scan does, or that grows when it is unpacked. */
export function hostileZip(random: Random): Uint8Array {
  const honest: ZipPart = { name: 'game.bin', data: 'x'.repeat(100) }
  return random.pick([
    () => Buffer.concat([HIDDEN, makeZip([honest])]),
    () => Buffer.concat([makeZip([honest]), HIDDEN]),
    () => makeZip([honest, { ...honest, name: 'again.bin', offset: 0 }]),
    () => makeZip([{ name: 'bomb.bin', data: Buffer.alloc(8 * MIB) }]),
    () => makeZip([{ ...honest, size: 1 }]),
    () => makeZip([{ ...honest, name: random.pick(['CON', 'a.', '../up', '/root', 'a\\b', 'A:b']) }]),
    () => makeZip([honest, { ...honest, name: 'GAME.BIN' }]),
    () => makeZip([honest], { count: 60_000 }),
    () => makeZip([honest], { comment: 'PK\u0005\u0006 another end' }),
    () => makeZip([honest]).subarray(0, random.below(120)),
    () => crypto.getRandomValues(new Uint8Array(random.below(5000))),
  ])()
}

/** Small to send, long to unpack, and just below the size at which the ratio is judged. */
export function bomb(): Uint8Array {
  return makeZip([{ name: 'bomb.bin', data: Buffer.alloc(255 * MIB) }])
}

export function zipForm(bytes: Uint8Array, filename: string, buildId: string): FormData {
  const form = new FormData()
  form.append('build_id', buildId)
  form.append('checksum', new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
  form.append('file', new File([bytes], filename))
  return form
}
