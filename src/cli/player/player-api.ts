import type { DownloadLink } from '../../features/catalog/downloads/model.ts'
import type { InstallBuilds, Reason } from '../../features/catalog/installs/model.ts'
import type { Notices } from '../../features/community/notices/model.ts'
import { CONTENTS_BYTES_MAX } from '../../lib/zip/contents.ts'
import { type ApiClient } from '../api/client.ts'
import { ApiFailure, isApiCode } from '../api/retry.ts'
import { CliError } from '../cli-error.ts'

/** A game as players name it. */
interface GameRef {
  /** From the address of a store page. */
  server: string | null
  /** Name in addresses, or uid. */
  game: string
}

/** Reads a name, a uid, or the address of a store page. */
export function parseGameRef(text: string): GameRef {
  const [, server, game] = /^(https?:\/\/[^?#]+?)\/games\/([\w-]+)/i.exec(text) ?? []
  if (server === undefined || game === undefined) return { server: null, game: text }
  return { server, game }
}

const PLAYER = '/api/v1/player'
const NOTICES = '/api/v1/private/notices'
const NOTICES_SHOWN = 50
const NOT_RECORDED = 5031
const FORBIDDEN = 403
const NOT_FOUND = 404
const CONTENTS_MS = 60_000

interface BuildsAsked {
  channel: string
  os?: string
  app?: string
}

/** The routes for installing, with hints for players. */
export class PlayerApi {
  constructor(
    readonly api: ApiClient,
    readonly isSignedIn: boolean,
    /** Tells accounts on one machine apart; null where nobody is signed in. */
    readonly account: string | null = null,
  ) {}

  async readBuilds(game: string, query: BuildsAsked): Promise<InstallBuilds> {
    return await this.#ask(game, `/games/${encodeURIComponent(game)}/builds`, { query: { ...query } })
  }

  async readLink(game: string, fileUid: string, reason: Reason): Promise<DownloadLink> {
    const path = `/files/${encodeURIComponent(fileUid)}/download`
    return await this.#claimFirst(game, () => this.#ask(game, path, { query: { for: reason } }))
  }

  /** Null where the store cannot say what the zip consists of. */
  async readContents(game: string, fileUid: string): Promise<Uint8Array | null> {
    const path = `${PLAYER}/files/${encodeURIComponent(fileUid)}/contents`
    return await this.#claimFirst(game, async () => {
      for (;;) {
        try {
          const signal = AbortSignal.timeout(CONTENTS_MS)
          return await this.api.bytes(path, { signal }, CONTENTS_BYTES_MAX)
        } catch (error) {
          if (isApiCode(error, NOT_RECORDED) || isStatus(error, NOT_FOUND)) return null
          if (error instanceof ApiFailure && error.status < 500) throw this.#explain(error, game)
          await this.api.retry.pause(error)
        }
      }
    })
  }

  /** Throws if the key or token is not accepted. */
  async check(): Promise<void> {
    await this.#ask('', '/library', { query: { page_size: 1 } })
  }

  async claim(game: string): Promise<void> {
    await this.#ask(game, `/games/${encodeURIComponent(game)}/claim`, { method: 'POST' })
  }

  async readNotices(unreadOnly: boolean): Promise<Notices> {
    const query = { limit: NOTICES_SHOWN, ...(unreadOnly && { unread: 'true' }) }
    return await this.#askNotices('', { query })
  }

  /** Returns how many are unread then. */
  async markNoticesRead(until: string): Promise<number> {
    const request = { method: 'POST', json: { until } } as const
    return (await this.#askNotices<Pick<Notices, 'unread'>>('/read', request)).unread
  }

  async #askNotices<Data>(path: string, request: Parameters<ApiClient['call']>[1]): Promise<Data> {
    try {
      return await this.api.call<Data>(NOTICES + path, request)
    } catch (error) {
      if (!(error instanceof ApiFailure) || (error.status !== 401 && error.status !== FORBIDDEN)) throw error
      throw new CliError(error.exit, error.message, {
        code: error.code ?? undefined,
        hint: `Run "shelf signin --server ${this.api.server}" again, or use a player key with player:read (to mark: player:library).`,
        cause: error,
      })
    }
  }

  /** A free game is added to the library of a player before it is refused. */
  async #claimFirst<Data>(game: string, ask: () => Promise<Data>): Promise<Data> {
    try {
      return await ask()
    } catch (error) {
      if (!this.isSignedIn || !isStatus(error, FORBIDDEN)) throw error
      await this.claim(game)
      return await ask()
    }
  }

  async #ask<Data>(game: string, path: string, request: Parameters<ApiClient['call']>[1]): Promise<Data> {
    try {
      return await this.api.call<Data>(PLAYER + path, request)
    } catch (error) {
      throw error instanceof ApiFailure ? this.#explain(error, game) : error
    }
  }

  #explain(error: ApiFailure, game: string): CliError {
    const { status, message, code, data } = error
    const pages = `${this.api.server}/games/`
    const named = typeof data.browse_url === 'string' && data.browse_url.startsWith(pages)
    const page = named ? URL.parse(String(data.browse_url))?.href : pages + encodeURIComponent(game)
    const hints: Record<number, string> = {
      401: signInHint(this.api.server).hint,
      402: `Buy it at ${page}, then run the same command again.`,
      404: 'Check the name of the game and the server; a draft or a private channel needs "shelf signin".',
    }
    const hint = hints[status]
    if (hint === undefined) return error
    return new CliError(error.exit, message, { code: code ?? undefined, hint, cause: error })
  }
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiFailure && error.status === status
}

export function signInHint(server: string): { hint: string } {
  return { hint: `Run "shelf signin --server ${server}", or set SHELF_PLAYER_KEY to a player key.` }
}
