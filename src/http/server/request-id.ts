import { createUid } from '../../lib/ids.ts'

const REQUEST_ID = /^[\w.-]{8,64}$/

/** A trusted proxy may set the id; otherwise a new one is created. */
export function createRequestIds(trustProxy: number): (request: Request) => string {
  if (trustProxy === 0) return () => createUid()
  return ({ headers }) => {
    const sent = headers.get('x-request-id')
    return sent !== null && REQUEST_ID.test(sent) ? sent : createUid()
  }
}
