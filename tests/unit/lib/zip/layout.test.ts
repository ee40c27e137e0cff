import { describe, expect, test } from 'bun:test'
import { crc32, deflateRawSync } from 'node:zlib'

import { findRefusal, sourceOf, unpack } from '../../../helpers/files/unpack.ts'
import { EICAR, makeDescriptor, makeZip, unicodeName, type ZipPart } from '../../../helpers/files/zips.ts'

const UTF8 = 1 << 11
const STREAMED = UTF8 | (1 << 3)
const REPACK = 'Upload a plain zip: pack the files again with an ordinary zip program'

const text = (name: string, more: Partial<ZipPart> = {}): ZipPart => ({ name, data: 'hello', ...more })
const hidden = makeZip([{ name: 'virus.com', data: EICAR }])
/** A local header with its bytes, which no directory lists. */
const unlisted = hidden.subarray(0, hidden.indexOf('PK\u0001\u0002'))
const padding = (size: number) => Buffer.alloc(size)

/** What a field of 64 KB can hold. */
function extraField(data: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(0xcafe, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}

describe('bytes that belong to no file are refused, with what to do:', () => {
  const whole = makeZip([text('a'), text('b')])
  const GAPS: [what: string, zip: Buffer, reason: string][] = [
    [
      'a program in front',
      makeZip([text('a', { before: Buffer.from('MZ program') })]),
      'begins with 10 bytes',
    ],
    [
      'a program in front, offsets unchanged',
      Buffer.concat([Buffer.from('MZ program'), whole]),
      'its directory is not where its end says',
    ],
    ['an unlisted entry in front', makeZip([text('a', { before: unlisted }), text('b')]), 'begins with'],
    [
      'a marker of split zips in front',
      makeZip([text('a', { before: Buffer.from('PK00') })]),
      'begins with 4',
    ],
    ['bytes in front of an empty zip', makeZip([], { beforeDirectory: padding(5) }), 'begins with 5 bytes'],
    [
      'an unlisted entry between',
      makeZip([text('a'), text('b', { before: unlisted })]),
      '"a" is followed by',
    ],
    [
      'an unlisted entry at the end',
      makeZip([text('a'), text('b', { after: unlisted })]),
      '"b" is followed by',
    ],
    [
      'one byte between',
      makeZip([text('a', { after: padding(1) }), text('b')]),
      'followed by 1 byte that belongs',
    ],
    [
      'bytes before the directory',
      makeZip([text('a')], { beforeDirectory: padding(7) }),
      'followed by 7 bytes',
    ],
    [
      'bytes before the end',
      makeZip([text('a')], { beforeEnd: padding(9) }),
      'between its directory and its end',
    ],
    [
      'a zip before the end',
      makeZip([text('a')], { beforeEnd: hidden }),
      'between its directory and its end',
    ],
    [
      'bytes before the 64-bit end',
      makeZip([text('a')], { beforeEnd: padding(9), zip64: true }),
      'between its directory and its end',
    ],
    ['bytes behind the end', Buffer.concat([whole, padding(3)]), 'bytes follow its end'],
    [
      'a zip in the comment',
      makeZip([text('a')], { comment: unlisted.toString('latin1') }),
      'The comment of the zip',
    ],
    [
      'a zip in the comment of an entry',
      makeZip([text('a', { comment: unlisted.toString('latin1') })]),
      '"a" holds',
    ],
    ['a zip in an extra field', makeZip([text('a', { extra: extraField(unlisted) })]), '"a" holds parts'],
    [
      'a zip in a local extra field',
      makeZip([text('a', { localExtra: extraField(unlisted) })]),
      '"a" holds parts',
    ],
    [
      'room for a descriptor that nothing announces',
      makeZip([text('a', { after: makeDescriptor(sumsOf('hello')) }), text('b')]),
      'followed by 16 bytes',
    ],
    [
      'other bytes in the place of a descriptor',
      makeZip([text('a', { flags: STREAMED, after: padding(16) }), text('b')]),
      'followed by 16 bytes',
    ],
    [
      'more than a descriptor',
      makeZip([
        text('a', { flags: STREAMED, after: Buffer.concat([makeDescriptor(sumsOf('hello')), unlisted]) }),
      ]),
      '"a" is followed by',
    ],
  ]
  test.each(GAPS)('%s', async (_, zip, reason) => {
    const refusal = await findRefusal(zip)
    expect(refusal).toContain(reason)
    expect(refusal).toContain(REPACK)
  })

  const large = Buffer.alloc(1_000_000, 'hello ')
  test.each([
    ['a small entry', Buffer.from('hello')],
    ['an empty entry', Buffer.alloc(0)],
    ['a large entry', large],
  ])('behind the packed content of %s', async (_, data) => {
    for (const tail of [padding(1), unlisted, padding(300_000)]) {
      const zip = makeZip([{ name: 'a', data, packed: Buffer.concat([deflateRawSync(data), tail]) }])
      expect(await findRefusal(zip)).toBe('"a" is damaged: other bytes follow its packed content.')
    }
  })
})

describe('a local header that is not what the directory says is refused:', () => {
  const DIFFERENT: [what: string, part: Partial<ZipPart>][] = [
    ['its name', { localName: 'b' }],
    ['a longer name', { localName: 'aa' }],
    ['its Unicode name', { flags: 0, local: { flags: 0 }, localExtra: unicodeName('a', 'b') }],
    ['its method', { local: { method: 0 } }],
    ['its encryption', { local: { flags: UTF8 | 1 } }],
    ['its masked header', { local: { flags: UTF8 | (1 << 13) } }],
    ['its checksum', { local: { crc: 1 } }],
    ['its size', { local: { size: 4 } }],
    ['its packed size', { local: { packedSize: 1 } }],
    ['a size of zero that nothing follows', { local: { size: 0 } }],
    ['another size before a descriptor', { flags: STREAMED, local: { size: 4 } }],
    ['an extra field that is cut off', { localExtra: Buffer.from([1, 2, 200, 0, 1]) }],
  ]
  test.each(DIFFERENT)('%s', async (_, part) => {
    expect(await findRefusal(makeZip([text('a', part), text('c')]))).toBe(
      '"a" is damaged: its header is not what the directory says.',
    )
  })

  test('two entries cannot share a header, or overlap', async () => {
    expect(await findRefusal(makeZip([text('a'), text('a2', { offset: 0 })]))).toContain('overlaps')
    const kernel = deflateRawSync(Buffer.alloc(100_000))
    const quoted = makeZip([
      { name: 'a', data: Buffer.alloc(100_000), packed: kernel, packedSize: kernel.length + 40 },
      text('b'),
    ])
    expect(await findRefusal(quoted)).toContain('overlaps')
  })
})

describe('the 64-bit end records are the only ones, and say the same:', () => {
  const at = (zip: Buffer, fromEnd: number, value: bigint) => {
    const changed = Buffer.from(zip)
    changed.writeBigUInt64LE(value, changed.length - fromEnd)
    return changed
  }
  const zip = makeZip([text('a')], { zip64: true })
  test.each([
    ['an extension', at(zip, 98 - 4, 45n)],
    ['another count on this disk', at(zip, 98 - 24, 2n)],
    ['another size of the directory', at(zip, 98 - 40, 1n)],
    ['a locator that points elsewhere', at(zip, 42 - 8, 0n)],
  ])('%s', async (_, changed) => {
    expect(await findRefusal(changed)).toStartWith('The zip is damaged: ')
  })

  test('as they are, they are taken', async () => {
    expect(await unpack(sourceOf(zip))).toEqual({ a: 5 })
  })
})

function sumsOf(data: string) {
  const bytes = Buffer.from(data)
  return { crc: crc32(bytes), size: bytes.length, packedSize: deflateRawSync(bytes).length }
}

describe('zips as programs write them are taken:', () => {
  const sums = sumsOf('hello')
  const none = { crc: 0, size: 0, packedSize: 0 }
  const streamed = (after: Buffer, more: Partial<ZipPart> = {}) =>
    makeZip([text('a', { flags: STREAMED, local: none, after, ...more }), text('b')])

  const wideExtra = Buffer.alloc(20)
  wideExtra.writeUInt16LE(1, 0)
  wideExtra.writeUInt16LE(16, 2)
  const LONG = 0xffff_ffff

  const TAKEN: [what: string, zip: Buffer][] = [
    ['a descriptor (Go, Java, .NET, macOS)', streamed(makeDescriptor(sums))],
    ['a descriptor without signature', streamed(makeDescriptor(sums, { signed: false }))],
    ['a 64-bit descriptor (Go, .NET)', streamed(makeDescriptor(sums, { wide: true }))],
    ['a 64-bit one without signature', streamed(makeDescriptor(sums, { wide: true, signed: false }))],
    [
      'a 64-bit descriptor with an empty 64-bit field (Python)',
      streamed(makeDescriptor(sums, { wide: true }), {
        local: { crc: 0, size: LONG, packedSize: LONG },
        localExtra: wideExtra,
      }),
    ],
    ['a descriptor, with the sums in the header too', streamed(makeDescriptor(sums), { local: {} })],
    ['the mark of a descriptor without one', streamed(Buffer.alloc(0))],
    ['the mark only in the local header', makeZip([text('a', { local: { flags: STREAMED } })])],
    ['other level bits', makeZip([text('a', { local: { flags: UTF8 | 2 } })])],
    ['64-bit sizes', makeZip([text('a', { zip64: true }), text('b', { zip64: true })], { zip64: true })],
    ['64-bit ends alone', makeZip([text('a')], { zip64: true })],
    [
      'times in extra fields',
      makeZip([text('a', { localExtra: extraField(padding(9)), extra: extraField(padding(5)) })]),
    ],
    [
      'padding in extra fields (zipalign)',
      makeZip([text('a', { localExtra: padding(3) }), text('b', { method: 0 })]),
    ],
    ['a comment', makeZip([text('a')], { comment: 'PK is how it begins' })],
    [
      'a Unicode name in the directory alone',
      makeZip([text('a', { flags: 0, extra: unicodeName('a', 'ä') })]),
    ],
    [
      'a Unicode name in both',
      makeZip([text('a', { flags: 0, extra: unicodeName('a', 'ä'), localExtra: unicodeName('a', 'ä') })]),
    ],
    [
      'folders with a packed nothing (jar)',
      makeZip([{ name: 'META-INF/', packed: Buffer.from([3, 0]) }, text('a')]),
    ],
    ['nothing', makeZip([])],
    ['nothing, with 64-bit ends', makeZip([], { zip64: true })],
  ]
  test.each(TAKEN)('%s', async (_, zip) => {
    expect(await findRefusal(zip)).toBeNull()
  })
})
