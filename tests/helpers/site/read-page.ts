import type { ReachableServer } from '../server.ts'

/** The text of a page, as browsers ask for it: `from` is a server, or a person. */
export async function readPage(from: Pick<ReachableServer, 'fetch'>, path: string): Promise<string> {
  return await (await from.fetch(path, { headers: { accept: 'text/html' } })).text()
}
