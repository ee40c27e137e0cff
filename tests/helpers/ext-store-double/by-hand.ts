import { type DoubleState, issueTicket } from './state.ts'

/** The real store has no such path: there the game gets a ticket from the client library. */
export const TICKET_PATH = '/double/ticket'
export const DEMO_ACCOUNT = '76561198000000001'

export function issueByHand(state: DoubleState, params: Readonly<Record<string, string>>): Response {
  const { app_id: appId, identity, account = DEMO_ACCOUNT } = params
  if (!appId || !identity) {
    return new Response('Say app_id and identity, which is the ticket key.\n', { status: 400 })
  }
  return new Response(`${issueTicket(state, { appId: Number(appId), extstoreId: account, identity })}\n`)
}
