import { beforeAll, describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { PATH_BYTES_MAX } from '../../../../../src/lib/zip/paths.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { EICAR, makeZip, unicodeName, type ZipPart, type ZipShape } from '../../../../helpers/files/zips.ts'
import { readData } from '../../../../helpers/json.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { findFile, runScanNow, scanZip, storeFile } from '../../../../helpers/scans.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  fileForm,
  postFile,
  UPLOAD_PATH,
  type UploadedFile,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
let build: BuildRow

describe('refusals', () => {
  beforeAll(async () => {
    const game = await insertPublicGame(server, await signUp(server))
    build = await insertBuild(server, game.uid)
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
    [
      'a wrong checksum of stored bytes',
      zip([text('a', { method: 0, crc: 1 })]),
      'its checksum does not fit',
    ],
    [
      'an entry that outgrows its size',
      zip([text('a', { size: 4 })]),
      '"a" unpacks to more than the zip says.',
    ],
    ['a large one that does', zip([{ name: 'a', data: large, size: 900_000 }]), 'to more than the zip says'],
    ['an entry that is too short', zip([text('a', { size: 6 })]), 'it is shorter than the zip says'],
    [
      'stored bytes of another size',
      zip([text('a', { method: 0, size: 6 })]),
      'size mismatch for stored file',
    ],
    [
      'bytes that cannot be unpacked',
      zip([text('a', { packed: Buffer.alloc(9, 255) })]),
      'cannot be unpacked',
    ],
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
})

describe('replacing', () => {
  const CLEAN = makeZip([{ name: 'a.txt', data: 'hello' }])
  const INFECTED = makeZip([{ name: 'a.txt', data: EICAR }])
  const DAMAGED = Buffer.from('not a zip')

  async function newBuild(): Promise<BuildRow> {
    const game = await insertPublicGame(server, await signUp(server))
    return (build = await insertBuild(server, game.uid))
  }

  async function statesOf(buildUid: string): Promise<string[]> {
    const rows = await server.deps.db
      .select()
      .from(files)
      .where(eq(files.buildUid, buildUid))
      .orderBy(files.uid)
    return rows.map(({ filename, scan }) => `${filename} ${scan}`)
  }

  const run = (fileUid: string) => runScanNow(server, fileUid)

  describe('a second upload with the same filename', () => {
    test('replaces the first once clean: a new file_uid, the old object removed', async () => {
      await newBuild()
      const first = await scanZip(server, build, CLEAN)
      const waiting = await storeFile(server, build, CLEAN)
      expect(await findFile(server, first.uid)).toMatchObject({ scan: 'clean' })
      await run(waiting.uid)
      expect(await findFile(server, first.uid)).toBeUndefined()
      expect(await statesOf(build.uid)).toEqual(['game.zip clean'])
      await waitFor(
        'the old object is removed',
        async () => !(await server.deps.objects.head(first.objectKey)),
      )
      expect(await server.deps.objects.head(waiting.objectKey)).not.toBeNull()
    })

    test.each([
      ['infected', INFECTED],
      ['error', DAMAGED],
    ])('leaves the first in place when it ends as %s', async (state, zip) => {
      await newBuild()
      const first = await scanZip(server, build, CLEAN)
      await scanZip(server, build, zip)
      expect(await statesOf(build.uid)).toEqual(['game.zip clean', `game.zip ${state}`])
      expect(await server.deps.objects.head(first.objectKey)).not.toBeNull()
    })

    test('takes the place of one that failed', async () => {
      await newBuild()
      await scanZip(server, build, INFECTED)
      await scanZip(server, build, CLEAN)
      expect(await statesOf(build.uid)).toEqual(['game.zip clean'])
    })

    test('wins over an earlier one whose scan takes longer', async () => {
      await newBuild()
      const earlier = await storeFile(server, build, CLEAN)
      const later = await storeFile(server, build, CLEAN)
      await run(later.uid)
      await run(earlier.uid)
      expect(await findFile(server, earlier.uid)).toBeUndefined()
      expect(await findFile(server, later.uid)).toMatchObject({ scan: 'clean' })
    })

    test('wins whichever scan ends first, or both at once', async () => {
      for (let round = 0; round < 10; round += 1) {
        await newBuild()
        const earlier = await storeFile(server, build, CLEAN)
        const later = await storeFile(server, build, CLEAN)
        await Promise.all([run(earlier.uid), run(later.uid)])
        expect(await findFile(server, earlier.uid)).toBeUndefined()
        expect(await findFile(server, later.uid)).toMatchObject({ scan: 'clean' })
      }
    })

    test('leaves other names, and the same name in other builds, alone', async () => {
      await newBuild()
      const other = await insertBuild(server, build.gameUid, { version: '0.9' })
      await scanZip(server, build, CLEAN, { filename: 'data.zip' })
      await scanZip(server, other, CLEAN)
      await scanZip(server, build, CLEAN)
      expect(await statesOf(build.uid)).toEqual(['data.zip clean', 'game.zip clean'])
      expect(await statesOf(other.uid)).toEqual(['game.zip clean'])
    })
  })

  describe('a file that is deleted while it is scanned', () => {
    test('is skipped', async () => {
      await newBuild()
      const file = await storeFile(server, build, CLEAN)
      const { db, objects } = server.deps
      const deleting: typeof objects = {
        ...objects,
        async get(key, range) {
          await db.delete(files).where(eq(files.uid, file.uid))
          return await objects.get(key, range)
        },
      }
      await runScanNow(server, file.uid, { deps: { objects: deleting } })
      expect(await statesOf(build.uid)).toEqual([])
    })
  })
})

describe('gaps', () => {
  interface ShownFile {
    file_uid: string
    scan: string
    scan_detail: string | null
  }

  /** Uploads a zip as a pipeline does and waits for its scan. */
  async function upload(zip: Uint8Array): Promise<ShownFile> {
    const { build, key } = await createPipeline(server)
    const { file_uid } = await readData<UploadedFile>(await postFile(server, key, fileForm(build, zip)))
    return await waitFor('the scan', async () => {
      const answer = await server.fetch(`${UPLOAD_PATH}/builds/${build.uid}`, { headers: { ...key } })
      const { files } = await readData<{ files: ShownFile[] }>(answer)
      return files.find((file) => file.file_uid === file_uid && file.scan !== 'scanning')
    })
  }

  const game = { name: 'game.sh', data: 'echo hello' }
  const hidden = makeZip([{ name: 'virus.com', data: EICAR }])
  const REPACK =
    'Upload a plain zip: pack the files again with an ordinary zip program, not as a self-extracting archive.'

  test.each([
    ['in front of it', makeZip([{ ...game, before: hidden }]), `The zip begins with ${hidden.length} bytes`],
    ['between its files', makeZip([{ ...game, after: hidden }, { name: 'b' }]), '"game.sh" is followed by'],
    ['in front of its directory', makeZip([game], { beforeDirectory: hidden }), '"game.sh" is followed by'],
    ['in front of its end', makeZip([game], { beforeEnd: hidden }), 'The zip has bytes between'],
    ['behind its end', Buffer.concat([makeZip([game]), hidden.subarray(0, -22)]), 'bytes follow its end'],
    ['in its comment', makeZip([game], { comment: hidden.toString('latin1') }), 'not where its end says'],
  ])('a zip with another zip %s ends as error, and its owner reads what to do', async (_, zip, reason) => {
    const file = await upload(zip)
    expect(file.scan).toBe('error')
    expect(file.scan_detail).toContain(reason)
    expect(file.scan_detail).toEndWith(REPACK)
  })

  test('the same zip without it is clean', async () => {
    expect(await upload(makeZip([game, { name: 'b' }]))).toMatchObject({ scan: 'clean', scan_detail: null })
  })
})
