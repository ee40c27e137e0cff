import { freeBuffer } from '../flow/buffer-memory.ts'

/** `id` names one hash. */
export interface HashUpdate {
  id: number
  piece: Uint8Array<ArrayBuffer>
}

export type ToHasher =
  { kind: 'update'; updates: HashUpdate[] } | { kind: 'digest'; id: number } | { kind: 'drop'; id: number }

export type FromHasher = { kind: 'hashed'; bytes: number } | { kind: 'digest'; id: number; digest: string }

declare const self: Worker

const hashers = new Map<number, Bun.CryptoHasher>()

self.onmessage = ({ data }: MessageEvent<ToHasher>) => {
  if (data.kind === 'drop') hashers.delete(data.id)
  else if (data.kind === 'update') update(data.updates)
  else post({ kind: 'digest', id: data.id, digest: hasherOf(data.id).digest('hex') })
}

function update(updates: readonly HashUpdate[]): void {
  let bytes = 0
  for (const { id, piece } of updates) {
    bytes += piece.byteLength
    hasherOf(id).update(piece)
    freeBuffer(piece)
  }
  post({ kind: 'hashed', bytes })
}

function hasherOf(id: number): Bun.CryptoHasher {
  const hasher = hashers.get(id) ?? new Bun.CryptoHasher('sha256')
  hashers.set(id, hasher)
  return hasher
}

function post(message: FromHasher): void {
  self.postMessage(message)
}
