import { sha256Hex } from '../lib/hash.ts'
import { createRandom } from '../lib/random.ts'
import { writeZip } from '../lib/zip-writer.ts'
import type { DemoBuild } from './builds-data.ts'
import type { DemoListing } from './listing-data.ts'

export interface PackedBuild {
  filename: string
  bytes: Uint8Array
  entries: { path: string; size: number; sha256: string }[]
}

const PIECES = 3
const PIECE_BYTES = 2048

/** Creates a small zip that can be downloaded, with pieces of the asset packs the listing uses. */
export async function packBuild(listing: DemoListing, build: DemoBuild, madeAt: Date): Promise<PackedBuild> {
  const { vanityName, name, tagline, uses = [] } = listing
  const { version, os, arch } = build
  const contents: [path: string, bytes: Uint8Array][] = [
    ['README.txt', Buffer.from(`${name} ${version} for ${os} (${arch})\n\n${tagline}\n`)],
    [`data/${vanityName}.dat`, fill(`${vanityName} ${version} ${os}`)],
    ...piecesOf(vanityName).map(([file, bytes]) => [`data/${file}`, bytes] as [string, Uint8Array]),
    ...uses.flatMap((pack) =>
      piecesOf(pack).map(([file, bytes]) => [`assets/${pack}/${file}`, bytes] as [string, Uint8Array]),
    ),
  ]
  const entries = contents.map(([path, bytes]) => ({ name: path, modifiedAt: madeAt, body: [bytes] }))
  return {
    filename: `${vanityName}-${version}-${os}.zip`,
    bytes: Buffer.concat(await Array.fromAsync(writeZip(entries))),
    entries: contents.map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) })),
  }
}

/** Returns the same bytes for every version and every listing that uses the pack. */
function piecesOf(vanityName: string): [file: string, bytes: Uint8Array][] {
  return Array.from({ length: PIECES }, (_, index) => [
    `piece-${index + 1}.bin`,
    fill(`${vanityName} piece ${index}`),
  ])
}

function fill(seed: string): Uint8Array {
  const random = createRandom(seed)
  return Uint8Array.from({ length: PIECE_BYTES }, () => random.below(256))
}
