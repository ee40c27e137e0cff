/** `id` names one hash. */
export type ToHasher =
  | { kind: 'update'; id: number; piece: Uint8Array }
  | { kind: 'digest'; id: number }
  | { kind: 'drop'; id: number }

export type FromHasher = { kind: 'hashed'; bytes: number } | { kind: 'digest'; id: number; digest: string }
