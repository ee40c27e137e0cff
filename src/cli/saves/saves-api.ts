import { hostname } from 'node:os'

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { DEVICE_MAX, SAVE_BYTES_MAX } from '../../domain/saves.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import type { ApiRequest } from '../api/client.ts'
import { ApiFailure, isApiCode } from '../api/retry.ts'
import { CliError } from '../cli-error.ts'
import { type PlayerApi, signInHint } from '../player/player-api.ts'

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([Type.Null(), schema]))
const Written = Type.Object({
  revision: Type.String({ minLength: 1, maxLength: 100, pattern: '^[!#-~]+$' }),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
const described = { device: Nullable(Type.String()), note: Nullable(Type.String()), at: Type.String() }

const AccountSave = Type.Intersect([Written, Type.Object({ slot: Type.String(), ...described })])
export type AccountSave = Static<typeof AccountSave>
const SaveList = Type.Object({
  slots: Type.Array(AccountSave),
  quota: Type.Object({ used: Type.Number(), limit: Type.Number() }),
})
export type SaveList = Static<typeof SaveList>
const SaveRevision = Type.Intersect([Written, Type.Object({ ...described, refused: Type.Boolean() })])
export type SaveRevision = Static<typeof SaveRevision>
const RevisionPage = Type.Object({
  items: Type.Array(SaveRevision),
  next_page: Type.Optional(Type.Unknown()),
})

/** Revisions that are asked for at once, and in all. */
const PAGE_SIZE = 100
const REVISIONS_MAX = 1000
const CONFLICT = 4123
/** The sign-in of an older shelf, or a key for other things. */
const SCOPE_MISSING = 4031
/** Time for one attempt, with that of the bytes at this speed. */
const ATTEMPT_MS = 30_000
const BYTES_PER_MS = 64

export interface RefusedSave {
  /** The current revision; null if the slot is gone. */
  theirs: string | null
  /** The revision that holds what was sent. */
  kept: string | null
}

/** The saves of one game in the player's account. */
export class SavesApi {
  readonly #base: string

  constructor(
    private readonly player: PlayerApi,
    game: string,
    /** The build that writes, if it is installed: its developer sees how often writes fail. */
    private readonly build: string | null = null,
  ) {
    this.#base = `/api/v1/player/games/${encodeURIComponent(game)}/saves`
  }

  async list(): Promise<SaveList> {
    return await this.#ask(SaveList, '', {})
  }

  /** Newest first. */
  async listRevisions(slot: string, max = REVISIONS_MAX): Promise<SaveRevision[]> {
    const found: SaveRevision[] = []
    for (let page = 1; found.length < max; page += 1) {
      const query = { page, page_size: Math.min(PAGE_SIZE, max) }
      const { items } = await this.#ask(RevisionPage, `/${encodeURIComponent(slot)}/revisions`, { query })
      found.push(...items)
      if (items.length < query.page_size) break
    }
    return found
  }

  /** Throws for bytes that are not those that the store announced. */
  async read(slot: string, { revision, sha256, size }: Static<typeof Written>): Promise<Uint8Array> {
    if (size > SAVE_BYTES_MAX) throw wrongBytes(slot)
    const bytes = await this.#explain(() =>
      this.player.api.download(
        `${this.#base}/${encodeURIComponent(slot)}`,
        { query: { revision }, attemptMs: attemptMs(size) },
        SAVE_BYTES_MAX,
      ),
    )
    if (sha256Hex(bytes) !== sha256) throw wrongBytes(slot)
    return bytes
  }

  /** Replaces this revision, or makes a new slot; what comes too late is kept as a revision of its own. */
  async write(slot: string, bytes: Uint8Array, over: string | null): Promise<string | RefusedSave> {
    const condition: Record<string, string> =
      over === null ? { 'if-none-match': '*' } : { 'if-match': `"${over}"` }
    const sha256 = sha256Hex(bytes)
    const headers = {
      ...condition,
      'content-type': 'application/octet-stream',
      'x-checksum-sha256': sha256,
      ...(this.build !== null && { 'x-build-id': this.build }),
      'x-save-device': encodeURIComponent(Array.from(hostname()).slice(0, DEVICE_MAX).join('')),
    }
    try {
      const request = {
        method: 'PUT',
        body: new Blob([bytes.slice()]),
        headers,
        attemptMs: attemptMs(bytes.length),
      } as const
      const written = await this.#ask(Written, `/${encodeURIComponent(slot)}`, request)
      if (written.sha256 !== sha256) throw wrongBytes(slot)
      return written.revision
    } catch (error) {
      if (!isApiCode(error, CONFLICT)) throw error
      const { theirs, yours_kept_as: kept } = error.data
      return { theirs: textOrNull(theirs), kept: textOrNull(kept) }
    }
  }

  async restore(slot: string, revision: string): Promise<void> {
    const request = { method: 'POST', json: { revision } } as const
    await this.#explain(() =>
      this.player.api.call(`${this.#base}/${encodeURIComponent(slot)}/restore`, request),
    )
  }

  async #ask<Schema extends TSchema>(
    schema: Schema,
    path: string,
    request: ApiRequest,
  ): Promise<Static<Schema>> {
    const answer = await this.#explain(() => this.player.api.call<unknown>(this.#base + path, request))
    if (Value.Check(schema, answer)) return answer
    throw new CliError('refused', 'The store answers with saves that shelf cannot read.', {
      hint: 'Update shelf, or ask whoever runs the store.',
    })
  }

  async #explain<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code === CONFLICT) throw error
      const { status, code, message, exit } = error
      const { server } = this.player.api
      const again = `Sign in again with "shelf signin --server ${server}", or use a player key that may keep saves.`
      const hints: Record<number, string> = {
        401: signInHint(server).hint,
        413: 'Delete saves that you do not need any more on the page of the game in your library.',
      }
      const hint = code === SCOPE_MISSING ? again : hints[status]
      if (hint === undefined) throw error
      throw new SavesFailure(status, exit, message, { code: code ?? undefined, hint, cause: error })
    }
  }
}

/** A refusal with a hint for players. */
export class SavesFailure extends CliError {
  constructor(
    readonly status: number,
    ...rest: ConstructorParameters<typeof CliError>
  ) {
    super(...rest)
  }
}

/** The store has no saves for this game. */
export function hasNoSaves(error: unknown): boolean {
  const status = error instanceof SavesFailure || error instanceof ApiFailure ? error.status : null
  return status === 403 || status === 404
}

function attemptMs(size: number): number {
  return ATTEMPT_MS + size / BYTES_PER_MS
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function wrongBytes(slot: string): CliError {
  return new CliError('refused', `The store sends other bytes for the save ${slot} than it announced.`, {
    hint: 'Nothing was changed. Try again later.',
  })
}
