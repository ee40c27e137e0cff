declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Account {
    accountId: string
    claims(): Promise<object>
  }

  interface Configuration {
    clients: object[]
    claims: Record<string, string[]>
    conformIdTokenClaims: boolean
    pkce: { required(): boolean }
    findAccount(context: unknown, sub: string): Account
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
