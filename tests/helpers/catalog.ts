import { readData } from './json.ts'
import type { Person } from './people.ts'
import type { TestServer } from './server.ts'

/** Creates a player key for this person and returns it as request headers. */
export async function bearerOf(person: Person): Promise<{ authorization: string }> {
  const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'for tests' })
  const { key } = await readData<{ key: string }>(answer)
  return { authorization: `Bearer ${key}` }
}

export interface Statement {
  text: string
  values: unknown[]
}

interface Driver {
  unsafe: (text: string, values?: unknown[], ...rest: unknown[]) => unknown
}

/** Statements the pool sends by itself. */
const HEARTBEAT = 'select 1'

/** Records every statement the server sends while `work` runs. */
export async function watchStatements(
  server: TestServer,
  work: () => Promise<unknown>,
): Promise<Statement[]> {
  const { $client: driver } = server.deps.db as unknown as { $client: Driver }
  const { unsafe } = driver
  const statements: Statement[] = []
  driver.unsafe = (text, values = [], ...rest) => {
    if (text !== HEARTBEAT) statements.push({ text, values })
    return unsafe(text, values, ...rest)
  }
  try {
    await work()
  } finally {
    driver.unsafe = unsafe
  }
  return statements
}

/**
 * The statements that the work takes: the fewest of three looks, since what is kept for seconds is read again now and
 * then, and other work of the server may fall into a look.
 */
export async function findStatements(server: TestServer, work: () => Promise<unknown>): Promise<Statement[]> {
  const looks: Statement[][] = []
  while (looks.length < 3) looks.push(await watchStatements(server, work))
  return looks.reduce((fewest, look) => (look.length < fewest.length ? look : fewest))
}

export async function countStatements(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  return (await findStatements(server, work)).length
}
