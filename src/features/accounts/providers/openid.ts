import { createHash } from 'node:crypto'

import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'

import { fetchOutside, OutsideFailure } from '../../../clients/outside/fetch-outside.ts'
import type { SignInProvider } from '../../../config/services.ts'
import { AppError } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { parseJsonOrNull } from '../../../lib/json.ts'
import { isLoopbackHost } from '../../../lib/net/addresses.ts'

/** The longest that a sign-in waits for a provider, however many requests that takes. */
export const PROVIDER_WAIT_MS = 5000
const ANSWER_MAX = 256 * 1024
const DISCOVERY_MS = 60 * 60 * 1000
const KEYS_MS = 10 * 60 * 1000
/** An unknown key id makes us look for new keys at most this often. */
const KEYS_COOLDOWN_MS = 60 * 1000
const CLOCK_SKEW_SECONDS = 60
/** Only asymmetric algorithms, because anyone with the shared secret could sign with the others. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

interface Discovered {
  authorization: URL
  token: URL
  userInfo: URL | null
  keys: ReturnType<typeof createRemoteJWKSet>
  usesPost: boolean
}

interface Claims extends JWTPayload {
  sub: string
}

/** One OpenID Connect provider: discovery, PKCE and nonce. Never connects to our own network. */
export function createOpenIdClient(provider: SignInProvider & { issuer: string }, baseUrl: string) {
  const { issuer, clientId, clientSecret, name } = provider
  const isTrial = isLoopbackHost(new URL(baseUrl).hostname)
  const exempt = (url: URL) => isTrial && isLoopbackHost(url.hostname)
  let known: { facts: Discovered; until: number } | undefined

  const ask = (url: URL | string, more: Partial<Parameters<typeof fetchOutside>[1]> = {}) =>
    fetchOutside(url, { timeoutMs: PROVIDER_WAIT_MS, maxBytes: ANSWER_MAX, exempt, ...more })

  async function readObject(answer: Response): Promise<Record<string, unknown>> {
    const body = parseJsonOrNull(await answer.text())
    if (!answer.ok || !isObject(body)) throw unusable(name, `it answered ${answer.status}`)
    return body
  }

  async function discover(): Promise<Discovered> {
    if (known && known.until > Date.now()) return known.facts
    const body = await readObject(await ask(`${issuer}/.well-known/openid-configuration`))
    if (body.issuer !== issuer) throw unusable(name, 'it names another issuer')
    const address = (field: string): URL => {
      const url = URL.parse(String(body[field]))
      if (url && (url.protocol === 'https:' || exempt(url))) return url
      throw unusable(name, `it has no usable ${field}`)
    }
    const methods = body.token_endpoint_auth_methods_supported
    const facts: Discovered = {
      authorization: address('authorization_endpoint'),
      token: address('token_endpoint'),
      userInfo: body.userinfo_endpoint === undefined ? null : address('userinfo_endpoint'),
      keys: createRemoteJWKSet(address('jwks_uri'), {
        [customFetch]: (url) => ask(url),
        timeoutDuration: PROVIDER_WAIT_MS,
        cooldownDuration: KEYS_COOLDOWN_MS,
        cacheMaxAge: KEYS_MS,
      }),
      usesPost: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    }
    known = { facts, until: Date.now() + DISCOVERY_MS }
    return facts
  }

  return {
    async authorizationUrl(request: {
      state: string
      nonce: string
      verifier: string
      redirectUri: string
    }): Promise<URL> {
      const url = new URL((await explain(name, discover)).authorization)
      const challenge = createHash('sha256').update(request.verifier).digest('base64url')
      const query = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: request.redirectUri,
        scope: 'openid email profile',
        state: request.state,
        nonce: request.nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value)
      return url
    },

    async exchange(code: string, verifier: string, redirectUri: string) {
      return await explain(name, async () => {
        const { token, usesPost } = await discover()
        const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
          ...(usesPost && { client_id: clientId, client_secret: clientSecret }),
        })
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          ...(!usesPost && { authorization: `Basic ${basic.toString('base64')}` }),
        }
        const answer = await readObject(await ask(token, { method: 'POST', headers, body: body.toString() }))
        const { id_token: idToken, access_token: accessToken } = answer
        if (typeof idToken !== 'string' || typeof accessToken !== 'string')
          throw unusable(name, 'it sent no tokens')
        return { idToken, accessToken }
      })
    },

    /** The claims about the person, checked to be signed for us and for this sign-in. */
    async readClaims(
      { idToken, accessToken }: { idToken: string; accessToken: string },
      nonce: string,
    ): Promise<Claims> {
      return await explain(name, async () => {
        const { keys, userInfo } = await discover()
        const claims = await verify(idToken, keys)
        if (claims.nonce !== nonce) throw unusable(name, 'its token is for another sign-in')
        if (typeof claims.email === 'string' || userInfo === null) return claims
        const headers = { authorization: `Bearer ${accessToken}` }
        const told = await readObject(await ask(userInfo, { headers }))
        if (told.sub !== claims.sub) throw unusable(name, 'it describes another person')
        return { ...told, ...claims }
      })
    },
  }

  async function verify(idToken: string, keys: Discovered['keys']): Promise<Claims> {
    const rules = { issuer, audience: clientId, algorithms: ALGORITHMS, clockTolerance: CLOCK_SKEW_SECONDS }
    const { payload } = await jwtVerify(idToken, keys, { ...rules, requiredClaims: ['exp', 'iat', 'sub'] })
    const { sub, azp = clientId } = payload
    if (typeof sub !== 'string' || azp !== clientId) throw unusable(name, 'its token is not for this store')
    return { ...payload, sub }
  }
}

function unusable(name: string, why: string): AppError {
  return new AppError('service_down', {
    message: `${name} cannot be used to sign in right now: ${why}. Try again later, or sign in otherwise.`,
  })
}

async function explain<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutsideFailure) throw unusable(name, error.message.replace(/\.$/, '').toLowerCase())
    if (error instanceof errors.JOSEError) throw unusable(name, `its token is not valid (${error.code})`)
    throw error
  }
}
