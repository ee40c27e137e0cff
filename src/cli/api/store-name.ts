import { toPrintableLine } from '../../lib/text/printable.ts'
import type { ApiClient } from './client.ts'

/** The name is only shown: nobody waits long for it. */
export const NAME_WAIT = { giveUpAfterMs: 5000 }

/** The name of the store before its address; the address alone where the server does not tell. */
export async function nameServer(api: ApiClient, server: string): Promise<string> {
  try {
    const { name } = await api.call<{ name: unknown }>('/api/v1/public/store')
    return typeof name === 'string' ? `${toPrintableLine(name)} (${server})` : server
  } catch {
    return server
  }
}
