import { afterAll, beforeAll } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import type { Imported, Preview, Report } from '../../../src/features/extstore/import/model.ts'
import type { Logger } from '../../../src/lib/log.ts'
import { DEMO_APPS } from '../ext-store-double/apps/demo-apps.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../ext-store-double/double.ts'
import { readData } from '../json.ts'
import { type Person, signUp } from '../people.ts'
import type { TestServer, TestServerOptions } from '../server.ts'
import { useStore } from '../store.ts'

export const WEB_API_KEY = '0123456789ABCDEF0123456789ABCDEF'

export interface ImportWorld {
  server: TestServer
  double: ExtStoreDouble
  /** A person in developer mode. Limits count per account, so most tests use a new one. */
  signUpDeveloper(): Promise<Person>
}

/** The store of a test file beside a double of the external store, which both stop after its tests. */
export function useExtstore(
  env: Record<string, string> = {},
  options: TestServerOptions = {},
): { server: TestServer; double: ExtStoreDouble } {
  const double = {} as ExtStoreDouble
  beforeAll(async () => void Object.assign(double, await startExtStoreDouble()))
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env, ...double.env }), options)
  afterAll(async () => await double.stop?.())
  return { server, double }
}

/** The same, with a key that covers every demo app. */
export function useImports(log?: Logger): ImportWorld {
  const { server, double } = useExtstore({}, { log })
  beforeAll(() => {
    double.addKey(
      WEB_API_KEY,
      Object.values(DEMO_APPS).map(({ appId }) => appId),
    )
  })
  return {
    server,
    double,
    async signUpDeveloper() {
      const person = await signUp(server)
      await server.deps.db.update(users).set({ developerMode: true }).where(eq(users.id, person.uid))
      return person
    },
  }
}

const PATH = '/api/v1/private/steam/import'

export function askPreview(person: Person, body: object): Promise<Response> {
  return person.json('POST', `${PATH}/preview`, { web_api_key: WEB_API_KEY, ...body })
}

export function askImport(person: Person, body: object): Promise<Response> {
  return person.json('POST', PATH, { web_api_key: WEB_API_KEY, ...body })
}

export async function preview(person: Person, body: object): Promise<Preview> {
  return await readData<Preview>(await askPreview(person, body))
}

export async function runImport(person: Person, body: object): Promise<Imported> {
  return await readData<Imported>(await askImport(person, body))
}

/** The imported values of a report, by field. */
export function importedOf({ imported }: Report): Record<string, unknown> {
  return Object.fromEntries(imported.map(({ field, value }) => [field, value]))
}

export function skippedOf({ skipped }: Report): string[] {
  return skipped.map(({ field, reason }) => `${field}: ${reason}`)
}
