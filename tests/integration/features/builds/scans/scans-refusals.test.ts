import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'

import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { PATH_BYTES_MAX } from '../../../../../src/lib/zip/paths.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { makeZip, unicodeName, type ZipPart, type ZipShape } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { scanZip, startJobs } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
let build: BuildRow
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  runner = await startJobs(server)
  const game = await insertPublicGame(server, await signUp(server))
  build = await insertBuild(server, game.uid)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

const text = (name: string, more: Partial<ZipPart> = {}): ZipPart => ({ name, data: 'hello', ...more })
const zip = (parts: ZipPart[], shape?: ZipShape) => makeZip(parts, shape)
const large = Buffer.alloc(1_000_000, 'hello ')

/** The first local header says that more follows it than does. */
function longerHeader(bytes: Buffer): Buffer {
  bytes.writeUInt16LE(8, 28)
  return bytes
}

const REFUSED: [what: string, bytes: Uint8Array, reason: string][] = [
  ['what is no zip', Buffer.from('MZ, and then a program'), 'The file is not a zip, or it is cut off.'],
  ['an empty file', Buffer.alloc(0), 'The file is not a zip, or it is cut off.'],
  ['a zip that is cut off', zip([text('a')]).subarray(0, -10), 'The file is not a zip, or it is cut off.'],
  ['a zip with bytes behind its end', Buffer.concat([zip([text('a')]), Buffer.from('x')]), 'is damaged'],
  ['a program in front', zip([text('a', { before: Buffer.from('MZ program') })]), 'begins with 10 bytes'],
  [
    'bytes between files',
    zip([text('a', { after: Buffer.alloc(9) }), text('b')]),
    '"a" is followed by 9 bytes',
  ],
  [
    'bytes before its end',
    zip([text('a')], { beforeEnd: Buffer.alloc(9) }),
    'between its directory and its end',
  ],
  ['encryption', zip([text('a', { flags: 1 })]), '"a" is encrypted; zip it without a password.'],
  ['strong encryption', zip([text('a', { flags: 0x41 })]), 'strong encryption is not supported'],
  ['AES encryption', zip([text('a', { flags: 1, method: 99 })]), '"a" is encrypted'],
  ['another packing method', zip([text('a', { method: 9 })]), '"a" is packed by method 9'],
  ['an absolute path', zip([text('/etc/passwd')]), '"/etc/passwd" is an absolute path'],
  ['a path that leads out', zip([text('a/../../b')]), '"a/../../b" leads out of its folder'],
  ['".." alone', zip([text('..')]), '".." leads out of its folder'],
  ['a drive letter', zip([text('C:/a')]), '"C:/a" begins with a drive letter'],
  ['a drive letter without a slash', zip([text('c:a')]), 'drive letter'],
  ['a backslash', zip([text('a\\b')]), 'has a backslash in its name'],
  ['a backslash that leads out', zip([text('..\\b')]), 'has a backslash in its name'],
  ['a name without a character', zip([text('')]), 'without any character'],
  ['a zero byte in a name', zip([text('a\0b')]), '"a?b" has control characters'],
  ['a line break in a name', zip([text('a\nb')]), 'control characters'],
  ['a name that is too long', zip([text('ä'.repeat(PATH_BYTES_MAX / 2 + 1))]), 'more than 1024 bytes'],
  [
    'a bad name behind a good Unicode one',
    zip([text('../a', { flags: 0, extra: unicodeName('../a', 'a') })]),
    '"../a" leads out',
  ],
  [
    'a bad Unicode name behind a good one',
    zip([text('a', { flags: 0, extra: unicodeName('a', '../a') })]),
    '"../a" leads out',
  ],
  ['a name twice', zip([text('a'), text('a')]), '"a" and "a" would be the same file'],
  ['names that differ by case', zip([text('Data/A'), text('data/a')]), 'would be the same file'],
  ['names that differ by case beyond ASCII', zip([text('ÄRGER'), text('ärger')]), 'would be the same file'],
  ['names with one upper case', zip([text('ΟΔΟΣ.txt'), text('οδοσ.txt')]), 'would be the same file'],
  ['names that differ by composition', zip([text('a\u0308'), text('\u00e4')]), 'would be the same file'],
  ['names that differ by empty parts', zip([text('a//./b'), text('a/b')]), 'would be the same file'],
  ['names that differ by a dot', zip([text('a'), text('a.')]), 'would be the same file'],
  ['a device', zip([text('data/CON.txt')]), '"data/CON.txt" has the name of a device on Windows'],
  ['a stream of a file', zip([text('readme.txt:more')]), 'has a colon in its name'],
  ['a file that is also a folder', zip([text('a'), text('A/b')]), 'would be the same file'],
  ['a folder that is also a file', zip([text('A/b'), text('a')]), 'would be the same file'],
  ['a folder with content', zip([text('a/')]), '"a/" is a folder with content.'],
  ['a symbolic link', zip([text('a', { mode: 0o120_777 })]), '"a" is a symbolic link'],
  ['a wrong checksum', zip([text('a', { crc: 1 })]), '"a" is damaged: its checksum does not fit.'],
  ['a wrong checksum of stored bytes', zip([text('a', { method: 0, crc: 1 })]), 'its checksum does not fit'],
  [
    'an entry that outgrows its size',
    zip([text('a', { size: 4 })]),
    '"a" unpacks to more than the zip says.',
  ],
  ['a large one that does', zip([{ name: 'a', data: large, size: 900_000 }]), 'to more than the zip says'],
  ['an entry that is too short', zip([text('a', { size: 6 })]), 'it is shorter than the zip says'],
  ['stored bytes of another size', zip([text('a', { method: 0, size: 6 })]), 'size mismatch for stored file'],
  ['bytes that cannot be unpacked', zip([text('a', { packed: Buffer.alloc(9, 255) })]), 'cannot be unpacked'],
  [
    'a large entry that breaks off',
    zip([{ name: 'a', data: large, packed: deflateRawSync(large).subarray(0, 500) }]),
    '"a" is damaged',
  ],
  ['entries that overlap', zip([text('a'), text('b', { offset: 0 })]), 'overlaps with other parts'],
  ['an entry beyond the end', zip([text('a', { offset: 5000 })]), 'overlaps with other parts'],
  ['an entry longer than its place', zip([text('a', { packedSize: 5000 })]), 'overlaps with other parts'],
  ['another name before the bytes', zip([text('a', { localName: 'b' })]), 'its header is not what'],
  [
    'a header that reaches into the next',
    longerHeader(zip([text('a'), text('b')])),
    'runs into the next one',
  ],
  ['more entries than it counts', zip([text('a'), text('b')], { count: 1 }), 'not what its end says'],
  ['fewer entries than it counts', zip([text('a')], { count: 2 }), 'is damaged'],
  ['a directory of another size', zip([text('a')], { directorySize: 10 }), 'not what its end says'],
  ['a directory elsewhere', zip([text('a')], { directoryOffset: 3 }), 'is damaged'],
]

describe('the scan ends as error with a plain reason for', () => {
  test.each(REFUSED)('%s', async (_, bytes, reason) => {
    const file = await scanZip(server, build, bytes)
    expect(file).toMatchObject({ scan: 'error', scanDetail: expect.stringContaining(reason) })
    await waitFor(
      'the object is removed',
      async () => (await server.deps.objects.head(file.objectKey)) === null,
    )
  })
})

const TAKEN: [what: string, bytes: Uint8Array][] = [
  ['an empty zip', zip([])],
  ['a zip with a comment', zip([text('a')], { comment: 'made by hand' })],
  ['odd modes', zip([text('a', { mode: 0 }), { name: 'b/', method: 0, mode: 0o140_755 }])],
  ['folders', zip([{ name: 'a/', method: 0 }, { name: 'a/', method: 0 }, text('a/b')])],
  ['dots inside names', zip([text('..a/b..c/...d'), text('a.'), text('b ')])],
  ['folders that differ by case', zip([text('A/b'), text('a/c')])],
  ['names in Unicode', zip([text('日本語/ゲーム.txt'), text('🎮.txt')])],
  ['old names that are no Unicode', zip([text('', { name: Buffer.from([0x84, 0x2e, 0x61]), flags: 0 })])],
  ['an empty file in it', zip([{ name: 'empty' }, { name: 'stored', method: 0 }])],
  ['a zip within the zip', zip([{ name: 'inner.zip', data: zip([text('a')]) }])],
  ['a damaged zip within the zip', zip([{ name: 'i.zip', data: zip([text('a', { crc: 1 })]) }])],
  ['a bomb within the zip', zip([{ name: 'i.zip', data: zip([{ name: 'a', data: Buffer.alloc(5e6) }]) }])],
]

describe('the scan ends as clean for', () => {
  test.each(TAKEN)('%s', async (_, bytes) => {
    expect(await scanZip(server, build, bytes)).toMatchObject({ scan: 'clean', scanDetail: null })
  })
})
