import { describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'

import { packSave, unpackSave } from '../../../../src/cli/saves/archive.ts'
import { SAVE_BYTES_MAX } from '../../../../src/domain/saves.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { directoryRecord, EARLIEST_STAMP, endRecords, localHeader } from '../../../../src/lib/zip/records.ts'

const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) })

/** Any name and mode, as an enemy would write them. */
function zipOf(
  entries: readonly { name: string; content?: Buffer; mode?: number; size?: number; packed?: Buffer }[],
): Buffer {
  const parts: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  for (const {
    name,
    content = Buffer.from('x'),
    mode = 0o100_644,
    packed,
    size = content.length,
  } of entries) {
    const record = {
      name: Buffer.from(name),
      flags: 1 << 11,
      isDeflated: packed !== undefined,
      stamp: EARLIEST_STAMP,
      crc: Bun.hash.crc32(content),
      packedSize: packed?.length ?? content.length,
      size,
      mode,
      offset,
    }
    const header = localHeader(record)
    parts.push(header, packed ?? content)
    records.push(directoryRecord(record))
    offset += header.length + (packed ?? content).length
  }
  const directory = Buffer.concat(records)
  return Buffer.concat([
    ...parts,
    directory,
    endRecords({ count: records.length, size: directory.length, offset }),
  ])
}

describe('a packed save', () => {
  test('has the same bytes for the same files, whatever their order', async () => {
    const files = [file('b/2.sav', 'two'), file('a.sav', 'one'), file('ü.sav', 'three')]
    const zip = await packSave(files)
    expect(sha256Hex(await packSave(files.toReversed()))).toBe(sha256Hex(zip))
    // Another machine with another shelf must find the same: a change of these bytes would make conflicts.
    expect(sha256Hex(zip)).toBe('2d328534433d6fc8a749937f80275756e07f01d51182294a6fbf468a797acd4d')
    const read = await unpackSave(zip)
    expect(read.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['a.sav', 'one'],
      ['b/2.sav', 'two'],
      ['ü.sav', 'three'],
    ])
  })

  test('may have no files, or 10,000', async () => {
    expect(await unpackSave(await packSave([]))).toEqual([])
    const many = Array.from({ length: 10_000 }, (_, index) =>
      file(`world/${index % 100}/${index}.chunk`, `${index}`),
    )
    expect(await unpackSave(await packSave(many))).toHaveLength(10_000)
  })

  test('has a largest size', async () => {
    const large = { path: 'a', bytes: Buffer.alloc(SAVE_BYTES_MAX) }
    expect(packSave([large])).rejects.toThrow('a store takes 32.0 MB at most')
  })
})

describe('a zip of a hostile store', () => {
  test.each(['../x', 'a/../../x', '/etc/x', 'C:/x', 'a\\..\\x', 'x:y', 'a\u0000b', 'CON', '..'])(
    'with %j is refused',
    async (name) => {
      expect(unpackSave(zipOf([{ name: 'ok' }, { name }]))).rejects.toThrow()
    },
  )

  test('with links, twins or a bomb is refused', async () => {
    expect(unpackSave(zipOf([{ name: 'a', mode: 0o120_777 }]))).rejects.toThrow('symbolic link')
    expect(unpackSave(zipOf([{ name: 'a' }, { name: 'A' }]))).rejects.toThrow('the same file')
    expect(unpackSave(zipOf([{ name: 'a' }, { name: 'a/b' }]))).rejects.toThrow('the same file')
    const content = Buffer.alloc(SAVE_BYTES_MAX + 1)
    const packed = deflateRawSync(content)
    expect(unpackSave(zipOf([{ name: 'a', content, packed }]))).rejects.toThrow('unpacks to')
    expect(unpackSave(zipOf([{ name: 'a', content, packed, size: 10 }]))).rejects.toThrow(
      'more than the zip says',
    )
    expect(unpackSave(Buffer.from('no zip'))).rejects.toThrow('not a zip')
  })
})
