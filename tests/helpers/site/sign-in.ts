import { SignJWT } from 'jose'

import { extstoreSessions } from '../../../src/db/schema/extstore.ts'
import type { Claims, Ownership, SignedIn, Verified } from '../../../src/features/extstore/sign-in/model.ts'
import { createUid } from '../../../src/lib/ids.ts'
import type { ExtStoreDouble } from '../ext-store-double/double.ts'
import type { IssuedTicket } from '../ext-store-double/state.ts'
import { insertLink, type TestLink } from '../extstore/extstore-links.ts'
import { readData } from '../json.ts'
import { insertGame } from '../listings.ts'
import { type Person, randomAddress } from '../people.ts'
import type { TestServer } from '../server.ts'

export interface SignInGame extends TestLink {
  vanityName: string
  /** A ticket as the game gets it from the store. */
  ticket(values?: Partial<IssuedTicket>): string
  /** Calls the API as the game, each time from another address. */
  auth(ticket: string, ref?: string): Promise<Response>
  refresh(token: string): Promise<Response>
  /** Calls the API as the developer's server. */
  verify(token: string, more?: object): Promise<Response>
  revoke(body: object): Promise<Response>
  ownership(extstoreId: string): Promise<Response>
  signIn(values?: Partial<IssuedTicket>): Promise<SignedIn>
  readVerified(token: string, more?: object): Promise<Verified>
  readOwnership(extstoreId: string): Promise<Ownership>
}

let players = 0

export function newExtstoreId(): string {
  players += 1
  return String(76_561_198_000_000_000n + BigInt(players))
}

/** Creates a listing with sign-in on that the store's double knows, public by default. */
export async function insertSignInGame(
  server: TestServer,
  double: ExtStoreDouble,
  owner: Person,
  values: Parameters<typeof insertGame>[2] = {},
): Promise<SignInGame> {
  const { uid, vanityName } = await insertGame(server, owner, { visibility: 'public', ...values })
  const link = await insertLink(server.deps, uid)
  double.addKey(link.webApiKey, [link.appId])
  return asSignInGame(server, double, { ...link, vanityName })
}

export function asSignInGame(
  server: TestServer,
  double: ExtStoreDouble,
  facts: TestLink & { vanityName: string },
): SignInGame {
  const { appId, gameUid, ticketKey, authKey } = facts
  const path = `/api/v1/extstore/${gameUid}`
  const post = (to: string, body: object, headers: Record<string, string> = {}) =>
    server.fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress(), ...headers },
      body: JSON.stringify(body),
    })
  const bearer = { authorization: `Bearer ${authKey}` }
  const game: SignInGame = {
    ...facts,
    ticket: (ticket = {}) =>
      double.issueTicket({ appId, identity: ticketKey, extstoreId: newExtstoreId(), ...ticket }),
    auth: (ticket, ref = gameUid) => post(`/api/v1/extstore/${ref}/auth`, { ticket }),
    refresh: (token) => post(`${path}/refresh`, { token }),
    verify: (token, more = {}) => post(`${path}/server/verify`, { token, ...more }, bearer),
    revoke: (body) => post(`${path}/server/revoke`, body, bearer),
    ownership: (extstoreId) =>
      server.fetch(`${path}/server/ownership/${extstoreId}`, {
        headers: { 'x-forwarded-for': randomAddress(), ...bearer },
      }),
    signIn: async (ticket) => await readData<SignedIn>(await game.auth(game.ticket(ticket))),
    readVerified: async (token, more) => await readData<Verified>(await game.verify(token, more)),
    readOwnership: async (extstoreId) => await readData<Ownership>(await game.ownership(extstoreId)),
  }
  return game
}

export interface MadeToken {
  token: string
  claims: Claims
}

/** Creates a token issued the given number of seconds ago, with its record. */
export async function insertToken(
  server: TestServer,
  game: SignInGame,
  { age = 0, extstoreId = newExtstoreId() } = {},
): Promise<MadeToken> {
  const iat = Math.floor(Date.now() / 1000) - age
  const claims = claimsOf(server, game, { sub: extstoreId, iat, exp: iat + 3600 })
  await server.deps.db.insert(extstoreSessions).values({
    uid: claims.jti,
    gameUid: game.gameUid,
    extstoreId,
    ip: '10.0.0.1',
    createdAt: new Date(iat * 1000),
    expiresAt: new Date(claims.exp * 1000),
  })
  return { token: await sign(claims, game.authKey), claims }
}

export function claimsOf(server: TestServer, game: TestLink, changes: Partial<Claims> = {}): Claims {
  const iat = Math.floor(Date.now() / 1000)
  return {
    iss: server.deps.config.issuer,
    aud: `extstore:${game.appId}`,
    gid: game.gameUid,
    sub: newExtstoreId(),
    own: true,
    vac: false,
    jti: createUid(),
    iat,
    exp: iat + 3600,
    ...changes,
  }
}

export async function sign(claims: object, key: string, header = { alg: 'HS512', typ: 'JWT' }) {
  return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(new TextEncoder().encode(key))
}
