import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'

import { readJson } from './json.ts'
import { randomAddress } from './people.ts'
import type { ReachableServer } from './server.ts'

/** As small as the SDK allows: it stores what it is given. */
export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:40404/callback'
  readonly clientMetadata = { client_name: 'SDK client', redirect_uris: [this.redirectUrl] }
  asked: URL | undefined
  private client: OAuthClientInformationMixed | undefined
  private saved: OAuthTokens | undefined
  private verifier = ''

  clientInformation() {
    return this.client
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: OAuthTokens) {
    this.saved = tokens
  }
  invalidateCredentials() {
    this.saved = undefined
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
}

/** For the SDK's client: each request comes from another address, so that they share no limits. */
export async function fetchFromAnywhere(url: string | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  headers.set('x-forwarded-for', randomAddress())
  return await fetch(url, { ...init, headers })
}

/** Posts any body. Responses are JSON-RPC, so they are not checked against the API description. */
export async function postMcp(
  server: ReachableServer,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetchFromAnywhere(`${server.url}/mcp`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
}

export interface ToolAnswer {
  status: number
  isError: boolean
  /** Of our own errors, whether of the tool or of the request. */
  code: number | undefined
  message: string | undefined
  data: Record<string, unknown> | undefined
  text: string
}

interface Message {
  error?: { code: number; message: string }
  result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content: { text: string }[] }
}

export async function callTool(
  server: ReachableServer,
  headers: Record<string, string>,
  name: string,
  args: unknown = {},
): Promise<ToolAnswer> {
  const params = { name, arguments: args }
  const answer = await postMcp(
    server,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers,
  )
  const { error, result } = await readJson<Message>(answer)
  const text = result?.content[0]?.text ?? ''
  const isError = result?.isError ?? false
  const failure = isError ? (JSON.parse(text) as { code: number; message: string }) : error
  return {
    status: answer.status,
    isError,
    code: failure?.code,
    message: failure?.message,
    data: result?.structuredContent,
    text,
  }
}

export const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` })
