/** `id` names one hash. */
export interface HashUpdate {
  id: number
  piece: Uint8Array<ArrayBuffer>
}

export type ToHasher =
  { kind: 'update'; updates: HashUpdate[] } | { kind: 'digest'; id: number } | { kind: 'drop'; id: number }

export type FromHasher = { kind: 'hashed'; bytes: number } | { kind: 'digest'; id: number; digest: string }
