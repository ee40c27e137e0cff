import {
  type Actor,
  type Agent,
  type AgentScope,
  type Anonymous,
  type DeployKey,
  type GameServer,
  keyExpired,
  type Player,
  PLAYER_KEY_PREFIX,
  type PlayerScope,
  type Saver,
  type StorePlayer,
  type WebsiteUser,
} from '../../domain/actor.ts'
import { lacksFactor, requireConfirmed, secondFactorNeeded } from '../../domain/confirmation.ts'
import { AppError } from '../../errors.ts'
import { equalsConstantTime, sha256Hex } from '../../lib/bytes/hash.ts'
import { type CredentialSources, type GameKeyRecord, parseBearer } from './credentials.ts'

const ANONYMOUS: Anonymous = { kind: 'anonymous' }
/** Programs on the person's own machine. */
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Finds the actor of a request. An invalid credential is an error, never treated as anonymous. */
export class Authenticator {
  constructor(
    private readonly sources: CredentialSources,
    private readonly trustedOrigin: string,
  ) {}

  /** Rejects accounts that lack a second factor where the store requires one. */
  async requireFactor(actor: Actor): Promise<void> {
    if (actor.kind !== 'user' || !lacksFactor(await this.sources.secondFactorPolicy(), actor)) return
    throw secondFactorNeeded(this.trustedOrigin)
  }

  /** For public routes: anonymous or a player. Cookies are ignored. */
  async visitor(
    request: Request,
    scopes: readonly [PlayerScope, ...PlayerScope[]] = ['player:read'],
  ): Promise<Anonymous | Player> {
    const bearer = parseBearer(request.headers)
    if (bearer === null) return ANONYMOUS
    return requirePlayer(await this.bearer(bearer), scopes)
  }

  /** For routes that require a player's credential. */
  async player(request: Request, scope: PlayerScope): Promise<Player> {
    return requirePlayer(await this.bearer(await this.requireBearer(request)), [scope])
  }

  /** For the bug reporter: a player, or a player of the external store. */
  async reporter(request: Request): Promise<Player | StorePlayer> {
    const bearer = await this.requireBearer(request)
    const storePlayer = await this.sources.findStorePlayer(bearer)
    return storePlayer ?? requirePlayer(await this.bearer(bearer), ['player:bugs'])
  }

  /** For saves: a player, a visit of a web game, or a player of the external store who has an account here. */
  async saver(request: Request): Promise<Saver> {
    const bearer = await this.requireBearer(request)
    const visit = this.sources.findSaveVisit(bearer)
    if (visit) return { kind: 'saver', via: 'visit', ...visit }
    const storePlayer = await this.sources.findStorePlayer(bearer)
    if (storePlayer) return { kind: 'saver', via: 'store', ...requireLinked(storePlayer) }
    const { userUid } = requirePlayer(await this.bearer(bearer), ['player:saves'])
    return { kind: 'saver', via: 'player', userUid, gameUid: null }
  }

  /** For private routes: the website's session, or an agent if the route names the scope it needs. */
  async website(request: Request): Promise<WebsiteUser>
  async website(request: Request, agentScope: AgentScope): Promise<WebsiteUser | Agent>
  async website(request: Request, agentScope?: AgentScope): Promise<WebsiteUser | Agent> {
    const bearer = parseBearer(request.headers)
    if (bearer !== null) {
      const actor = await this.bearer(bearer)
      if (actor.kind !== 'agent' || agentScope === undefined) throw new AppError('wrong_credential_kind')
      requireScope(actor, [agentScope])
      return actor
    }
    await this.refuseDeployKey(request)
    const cookies = request.headers.get('cookie')
    if (cookies === null) throw new AppError('unauthorized')
    this.requireOwnOrigin(request)
    const user = await this.sources.findUserBySession(request.headers)
    if (!user) throw new AppError('unauthorized')
    return user
  }

  /** For private routes that players' programs use, too: a credential in a header goes before the session. */
  async websiteOrPlayer(request: Request, scope: PlayerScope): Promise<WebsiteUser | Player> {
    const bearer = parseBearer(request.headers)
    return bearer === null ? this.website(request) : requirePlayer(await this.bearer(bearer), [scope])
  }

  /** For the agent tools: each tool checks its own scope. Cookies are ignored. */
  async agent(request: Request): Promise<Agent> {
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== this.trustedOrigin && !LOOPBACK_ORIGIN.test(origin))
      throw new AppError('forbidden', { message: 'Websites may not call the agent tools (Origin header).' })
    const bearer = parseBearer(request.headers)
    const actor = bearer === null ? null : await this.findByBearer(bearer, 'tools')
    if (!actor) {
      const metadata = `${this.trustedOrigin}/.well-known/oauth-protected-resource/mcp`
      throw new AppError('unauthorized', {
        headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
      })
    }
    if (actor.kind !== 'agent') throw new AppError('wrong_credential_kind')
    return actor
  }

  /**
   * For pages: the signed-in user or anonymous. Forms must come from our own pages, even without a session.
   */
  async page(request: Request): Promise<Anonymous | WebsiteUser> {
    this.requireOwnOrigin(
      request,
      `This form was not sent from ${this.trustedOrigin}. Open the page there and send it again.`,
    )
    if (!request.headers.has('cookie')) return ANONYMOUS
    return (await this.sources.findUserBySession(request.headers)) ?? ANONYMOUS
  }

  /** For operators. Everyone else gets the response of an unknown route, whatever they sent. */
  async operator(request: Request): Promise<WebsiteUser> {
    return await this.proveOperator(request, requireOperator(await this.website(request).catch(hide)))
  }

  /** The same for pages. */
  async operatorPage(request: Request): Promise<WebsiteUser> {
    return await this.proveOperator(request, requireOperator(await this.page(request).catch(hide)))
  }

  /** Operators need a second factor, and a recent confirmation for changes. */
  private async proveOperator(request: Request, user: WebsiteUser): Promise<WebsiteUser> {
    await this.requireFactor(user)
    if (!SAFE_METHODS.has(request.method)) requireConfirmed(user, this.trustedOrigin)
    return user
  }

  private requireOwnOrigin(
    request: Request,
    message = 'This call must come from the website itself (Origin header).',
  ): void {
    if (SAFE_METHODS.has(request.method) || request.headers.get('origin') === this.trustedOrigin) return
    throw new AppError('forbidden', { message })
  }

  /**
   * `mayFinish` also accepts an expired key; the route then lets it finish what it began and nothing else.
   */
  async deployKey(request: Request, mayFinish = false): Promise<DeployKey> {
    const accessToken = request.headers.get('x-access-token')
    const secretKey = request.headers.get('x-secret-key')
    if (!accessToken) throw new AppError('access_token_missing')
    if (!secretKey) throw new AppError('secret_key_missing')
    const key = await this.sources.findDeployKey(accessToken)
    if (!key) throw new AppError('deploy_key_unknown')
    if (!equalsConstantTime(key.secretHash, sha256Hex(secretKey))) throw new AppError('deploy_key_invalid')
    if (key.revoked) throw new AppError('deploy_key_revoked')
    if (key.suspended) {
      throw new AppError('deploy_key_revoked', {
        message: 'The account behind this deploy key is suspended. The key works again when that ends.',
      })
    }
    const { keyUid, gameUid, ownerUid, channels, expiresAt } = key
    const hasExpired = expiresAt !== null && expiresAt.getTime() <= Date.now()
    if (hasExpired && !mayFinish) throw keyExpired()
    return { kind: 'deploy_key', keyUid, gameUid, ownerUid, channels, hasExpired }
  }

  /** Checks the cached key first; `confirmGameServer` decides once the body is read. */
  async gameServer(request: Request, game: string): Promise<GameServer> {
    const bearer = parseBearer(request.headers)
    const keyHash = sha256Hex(bearer ?? '')
    const fits = (key: GameKeyRecord) => equalsConstantTime(key.keyHash, keyHash)
    let key = this.sources.recallGameKey(game)
    if (!key || !fits(key)) {
      key = await this.sources.findGameKey(game)
      if (!fits(key)) throw bearer === null ? new AppError('game_auth_key_invalid') : wrongAuthKey()
    }
    return { kind: 'game_server', gameUid: key.gameUid, keyHash }
  }

  /** Runs before the handler: the accepted key must still be the one in the database. */
  async confirmGameServer({ gameUid, keyHash }: GameServer, body: unknown): Promise<void> {
    const current = await this.sources.readGameKey(gameUid, body)
    if (!equalsConstantTime(current.keyHash, keyHash)) throw wrongAuthKey()
  }

  private async requireBearer(request: Request): Promise<string> {
    const bearer = parseBearer(request.headers)
    if (bearer !== null) return bearer
    await this.refuseDeployKey(request)
    throw new AppError('unauthorized')
  }

  private async refuseDeployKey(request: Request): Promise<void> {
    if (!request.headers.has('x-access-token')) return
    await this.deployKey(request)
    throw new AppError('wrong_credential_kind')
  }

  private async bearer(bearer: string): Promise<Player | Agent> {
    const actor = await this.findByBearer(bearer)
    if (actor) return actor
    if (await this.isOfAnotherKind(bearer)) throw new AppError('wrong_credential_kind')
    throw new AppError('unauthorized', {
      message: 'This key or token is unknown, has expired or was revoked. Sign in again to get a new one.',
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  }

  /** Whether it works on other routes: a session or auth key of the external-store sign-in, or a deploy key. */
  private async isOfAnotherKind(bearer: string): Promise<boolean> {
    if (bearer === '' || bearer.startsWith(PLAYER_KEY_PREFIX)) return false
    if (await this.sources.findStorePlayer(bearer)) return true
    if (await this.sources.isGameKey(bearer)) return true
    const key = await this.sources.findDeployKey(bearer)
    if (!key || key.revoked || key.suspended) return false
    return key.expiresAt === null || key.expiresAt.getTime() > Date.now()
  }

  private findByBearer(bearer: string, audience?: 'tools'): Promise<Player | Agent | null> {
    return bearer.startsWith(PLAYER_KEY_PREFIX)
      ? this.sources.findPlayerByKey(bearer)
      : this.sources.findActorByToken(bearer, audience)
  }
}

/**
 * Creates a check of whether the browser that sent these headers is signed in as an operator with the
 * required factor.
 */
export function operatorCheck(sources: Pick<CredentialSources, 'findUserBySession' | 'secondFactorPolicy'>) {
  return async (headers: Headers): Promise<boolean> => {
    const user = headers.has('cookie') ? await sources.findUserBySession(headers) : null
    return user !== null && user.isOperator && !lacksFactor(await sources.secondFactorPolicy(), user)
  }
}

function hide(error: unknown): never {
  throw error instanceof AppError && error.status < 500 ? new AppError('not_found') : error
}

function requireOperator(actor: Anonymous | WebsiteUser): WebsiteUser {
  if (actor.kind === 'user' && actor.isOperator) return actor
  throw new AppError('not_found')
}

function requirePlayer(actor: Player | Agent, scopes: readonly PlayerScope[]): Player {
  if (actor.kind !== 'player') throw new AppError('wrong_credential_kind')
  requireScope(actor, scopes)
  return actor
}

/** Saves are kept in an account, which not every player of the external store has. */
function requireLinked({ gameUid, linkedUserUid: userUid }: StorePlayer) {
  if (userUid !== null) return { gameUid, userUid }
  throw new AppError('forbidden', {
    message: 'Saves are kept in an account of this store. Link the store account to one first.',
  })
}

/** One of the scopes is enough. */
export function requireScope(actor: Player | Agent, scopes: readonly string[]): void {
  if (scopes.some((scope) => actor.scopes.includes(scope))) return
  throw new AppError('scope_missing', {
    message: `This key or token lacks the scope ${scopes.join(' or ')}. Use one that has it.`,
  })
}

function wrongAuthKey(): AppError {
  return new AppError('game_auth_key_invalid', {
    message: 'This is not the auth key of this game. Copy the current one from its sign-in settings.',
  })
}
