import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { type Static, Type } from '@sinclair/typebox'

import { CliError } from '../cli-error.ts'
import { readOwnFile, writeOwnFile } from './own-file.ts'

const Entry = Type.Object({
  server: Type.String(),
  game_uid: Type.String(),
  /** Its name in addresses when it was saved. */
  game: Type.String(),
  access_token: Type.String(),
  secret_key: Type.String(),
})
type SavedLogin = Static<typeof Entry>

/** A player on a server: by a key, or by what the browser allowed. */
const Player = Type.Object({
  server: Type.String(),
  token: Type.String(),
  refresh: Type.Union([
    Type.Null(),
    Type.Object({
      token: Type.String(),
      client_id: Type.String(),
      token_url: Type.String(),
      resource: Type.String(),
    }),
  ]),
})
export type SavedPlayer = Static<typeof Player>

const CredentialsFile = Type.Object({
  version: Type.Literal(1),
  logins: Type.Array(Entry),
  players: Type.Optional(Type.Array(Player)),
})
type CredentialsFile = Static<typeof CredentialsFile>

/**
 * The keys that `shelf login` saved, one per server and game, and the players of `shelf signin`, one per server. Only
 * their owner can read the file.
 */
export class CredentialStore {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'credentials.json')
  }

  async list(): Promise<SavedLogin[]> {
    return (await this.#read()).logins
  }

  /** Without a server, the only one that there is. */
  async findPlayer(server: string | null): Promise<SavedPlayer | null> {
    const { players = [] } = await this.#read()
    const fitting = players.filter((player) => server === null || isSameServer(player.server, server))
    if (fitting.length <= 1) return fitting[0] ?? null
    throw new CliError('usage', 'You are signed in to several servers. Say which one is meant.', {
      hint: `Use --server: ${fitting.map((player) => player.server).join(', ')}.`,
    })
  }

  async savePlayer(player: SavedPlayer): Promise<void> {
    const { logins, players = [] } = await this.#read()
    const others = players.filter((other) => !isSameServer(other.server, player.server))
    await this.#write({ version: 1, logins, players: [...others, player] })
  }

  /** Of all servers without one. Returns those that were removed. */
  async removePlayers(server: string | null): Promise<SavedPlayer[]> {
    const { logins, players = [] } = await this.#read()
    const isMeant = (player: SavedPlayer) => server === null || isSameServer(player.server, server)
    await this.#write({ version: 1, logins, players: players.filter((player) => !isMeant(player)) })
    return players.filter(isMeant)
  }

  /** Matches the game by uid or name; without one, only a server with a single login matches. */
  async find(server: string | null, game: string | null): Promise<SavedLogin | null> {
    const logins = (await this.list()).filter(
      (login) => server === null || isSameServer(login.server, server),
    )
    const fitting = logins.filter((login) => game === null || isGame(login, game))
    if (fitting.length <= 1) return fitting[0] ?? null
    throw new CliError('usage', 'You are logged in to several games. Say which one is meant.', {
      hint: `Use --game or shelf.json: ${fitting.map((login) => login.game).join(', ')}.`,
    })
  }

  async save(login: SavedLogin): Promise<void> {
    const others = (await this.list()).filter(
      (other) => other.game_uid !== login.game_uid || !isSameServer(other.server, login.server),
    )
    await this.#write({ ...(await this.#read()), logins: [...others, login] })
  }

  /** Returns how many were removed. */
  async remove(server: string | null, game: string | null): Promise<number> {
    const logins = await this.list()
    const kept = logins.filter(
      (login) =>
        (server !== null && !isSameServer(login.server, server)) || (game !== null && !isGame(login, game)),
    )
    await this.#write({ ...(await this.#read()), logins: kept })
    return logins.length - kept.length
  }

  async #read(): Promise<CredentialsFile> {
    const damaged = () =>
      new CliError('credentials', `${this.path} is damaged.`, {
        hint: 'Remove it and run "shelf login" or "shelf signin" again.',
      })
    return (await readOwnFile(this.path, CredentialsFile, damaged)) ?? { version: 1, logins: [] }
  }

  async #write(content: CredentialsFile): Promise<void> {
    if (content.logins.length === 0 && (content.players ?? []).length === 0)
      return await rm(this.path, { force: true })
    await writeOwnFile(this.path, content)
  }
}

function isGame(login: SavedLogin, game: string): boolean {
  return login.game === game || login.game_uid === game
}

/** One spelling of each address: without a trailing slash, the host in lower case. */
export function normalizeServer(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '')
}

export function isSameServer(a: string, b: string): boolean {
  return normalizeServer(a) === normalizeServer(b)
}
