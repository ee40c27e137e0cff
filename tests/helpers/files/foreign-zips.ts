import { crc32, deflateRawSync } from 'node:zlib'

import { type Contents, packBy } from '../engines/archivers.ts'
import { makeDescriptor, makeZip, type ZipPart } from './zips.ts'

/** A way in which others pack a game. */
export interface ForeignZip {
  /** The program and its habit, as in the docs. */
  tool: string
  pack(contents: Contents): Buffer | Promise<Buffer>
  /** What a player gets of these files; by default the same. */
  unpacked?(contents: Contents): Contents
  /** What the refusal says, for zips that are not taken. */
  refusal?: RegExp
}

const SUMS_FOLLOW = 0x8
const UTF8 = 0x800
const STORED = 0
const FAT = 0
const MADE_BY_MAC = { system: 3, mode: 0o100_644 }
const MAC_FOLDER = 'Game/'

const byProgram =
  (...commands: string[][]) =>
  (contents: Contents) =>
    packBy(contents, (target) =>
      commands.map((command) => command.map((word) => word.replace('TARGET', target))),
    )

const zip = (...options: string[]) => byProgram(['zip', '-q', '-r', ...options, 'TARGET', '.'])
const sevenZip = (...options: string[]) => byProgram(['7z', 'a', '-bso0', '-tzip', ...options, 'TARGET', '.'])

/** `stream` is what the zip is written to, `write` the statement that adds the file at `path`. */
const python = (stream: string, write: string) =>
  byProgram([
    'python3',
    '-c',
    `
import os, sys, zipfile
class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with open(sys.argv[1], 'wb') as file, zipfile.ZipFile(${stream}, 'w', zipfile.ZIP_DEFLATED) as target:
    for folder, _, names in os.walk('.'):
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            ${write}
`,
    'TARGET',
  ])

/** As programs write that do not know the sizes beforehand: they follow the content, behind a signature. */
function streamed(name: string, data: Uint8Array, part: Partial<ZipPart> = {}): ZipPart {
  const packed = part.method === STORED ? Buffer.from(data) : deflateRawSync(data)
  const sums = { crc: crc32(data), size: data.length, packedSize: packed.length }
  const flags = SUMS_FOLLOW | (part.flags ?? utf8Flag(name))
  const local = { crc: 0, size: 0, packedSize: 0 }
  return { name, data, packed, local, after: makeDescriptor(sums), ...part, flags }
}

/** Of programs that set it only where a name needs it. */
function utf8Flag(name: string): number {
  return /^[ -~]*$/.test(name) ? 0 : UTF8
}

/** A modification time in seconds, as Unix has it. */
function timestamp(): Buffer {
  const field = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0])
  field.writeUInt32LE(1_700_000_000, 5)
  return field
}

/** Three times as Windows has them. */
function ntfsTimes(): Buffer {
  const field = Buffer.alloc(36)
  field.writeUInt16LE(0x000a, 0)
  field.writeUInt16LE(32, 2)
  field.writeUInt16LE(1, 8)
  field.writeUInt16LE(24, 10)
  for (const at of [12, 20, 28]) field.writeBigUInt64LE(133_000_000_000_000_000n, at)
  return field
}

const partsOf = (contents: Contents, toPart: (name: string, data: Uint8Array) => ZipPart) =>
  Object.entries(contents).map(([name, data]) => toPart(name, data))

function packLikeGo(contents: Contents): Buffer {
  const [extra, localExtra] = [timestamp(), timestamp()]
  return makeZip(
    partsOf(contents, (name, data) =>
      streamed(name, data, { extra, localExtra, system: FAT, mode: 0, method: data.length === 1 ? 0 : 8 }),
    ),
  )
}

function packLikeJava(contents: Contents): Buffer {
  const mark = Buffer.from([0xfe, 0xca, 0, 0])
  const first = { extra: mark, localExtra: mark }
  return makeZip(
    Object.entries(contents).map(([name, data], index) =>
      data.length === 0
        ? { name, data, method: STORED, system: FAT, mode: 0 }
        : streamed(name, data, { flags: UTF8, system: FAT, mode: 0, ...(index === 0 && first) }),
    ),
  )
}

function packLikeMac(contents: Contents): Buffer {
  const parts = Object.entries(unpackedOnMac(contents)).map(([name, data]) =>
    streamed(name, data, { flags: 0, extra: timestamp(), localExtra: timestamp(), ...MADE_BY_MAC }),
  )
  const folders = [MAC_FOLDER, `__MACOSX/${MAC_FOLDER}`].map((name) => ({
    name,
    method: STORED,
    flags: 0,
    mode: 0o040_755,
  }))
  return makeZip([...folders, ...parts])
}

/** The Finder puts the folder's name in front, and the resource fork of a file into a folder beside it. */
function unpackedOnMac(contents: Contents): Contents {
  const files = Object.entries(contents).map(([name, data]) => [MAC_FOLDER + name, data] as const)
  const fork = Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00])
  return { ...Object.fromEntries(files), [`__MACOSX/${MAC_FOLDER}._index.html`]: fork }
}

const FORCED_64 = ['zip', '-q', '-r', '-fz', 'TARGET', '.']

/** A JDK is too large to be installed for one zip: without one, the bytes are written as it writes them. */
const packWithJava =
  Bun.which('jar') === null ? packLikeJava : byProgram(['jar', '-c', '-M', '-f', 'TARGET', '.'])

export const FOREIGN_ZIPS: readonly ForeignZip[] = [
  { tool: 'Info-ZIP, `zip -0`', pack: zip('-0') },
  { tool: 'Info-ZIP, `zip -6`', pack: zip('-6') },
  { tool: 'Info-ZIP, `zip -9`', pack: zip('-9') },
  { tool: 'Info-ZIP, `zip -fz` (64-bit)', pack: byProgram(FORCED_64) },
  { tool: 'Info-ZIP, `zip -fd` (sizes follow)', pack: zip('-fd') },
  {
    tool: 'Info-ZIP, `zip -y` with a link',
    pack: byProgram(['ln', '-s', 'index.html', 'start'], ['zip', '-q', '-r', '-y', 'TARGET', '.']),
    refusal: /"start" is a symbolic link.*zip without -y/,
  },
  { tool: 'Info-ZIP, `zip -P` (password)', pack: zip('-P', 'secret'), refusal: /without a password/ },
  { tool: '7-Zip, deflate', pack: sevenZip('-mm=Deflate') },
  { tool: '7-Zip, `-mcu=on` (UTF-8 names)', pack: sevenZip('-mcu=on') },
  {
    tool: '7-Zip, adding to a 64-bit zip',
    pack: byProgram(FORCED_64, ['7z', 'a', '-bso0', '-tzip', 'TARGET', 'index.html']),
  },
  {
    tool: '7-Zip, `-mm=Deflate64`',
    pack: sevenZip('-mm=Deflate64'),
    refusal: /packed by method 9.*Pack it again with "deflate"/,
  },
  { tool: 'bsdtar, `-a -cf game.zip .`', pack: byProgram(['bsdtar', '-a', '-cf', 'TARGET', '.']) },
  {
    tool: 'bsdtar, into a pipe (padded)',
    pack: byProgram(['sh', '-c', 'bsdtar --format zip -cf - * >"$0"', 'TARGET']),
    refusal: /bytes follow its end.*pack the files again/,
  },
  { tool: 'Python, `zipfile` deflated', pack: python('file', 'target.write(path)') },
  {
    tool: 'Python, `force_zip64`',
    pack: python(
      'file',
      "with target.open(path, 'w', force_zip64=True) as entry: entry.write(open(path, 'rb').read())",
    ),
  },
  { tool: 'Python, into a pipe (sizes follow)', pack: python('Pipe(file)', 'target.write(path)') },
  { tool: "Java's `jar`", pack: packWithJava },
  { tool: "Go's `archive/zip` (sizes follow, no folders)", pack: packLikeGo },
  {
    tool: '.NET, to a response (sizes follow)',
    pack: (contents) =>
      makeZip(partsOf(contents, (name, data) => streamed(name, data, { system: FAT, mode: 0 }))),
  },
  {
    tool: 'Windows Explorer (NTFS times)',
    pack: (contents) =>
      makeZip(
        partsOf(contents, (name, data) => ({
          name,
          data,
          flags: utf8Flag(name),
          extra: ntfsTimes(),
          system: FAT,
          mode: 0,
        })),
      ),
  },
  {
    tool: '.NET Framework before 4.6.1 (backslashes)',
    pack: (contents) =>
      makeZip(
        partsOf(contents, (name, data) => ({
          name: name.replaceAll('/', '\\'),
          data,
          flags: utf8Flag(name),
          system: FAT,
          mode: 0,
        })),
      ),
    refusal: /has a backslash in its name.*Pack the folder again/,
  },
  {
    tool: 'macOS, Compress (`__MACOSX`, UTF-8 without its flag)',
    pack: packLikeMac,
    unpacked: unpackedOnMac,
  },
]
