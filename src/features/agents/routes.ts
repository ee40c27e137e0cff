import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { readJsonBody } from '../../http/input/body.ts'
import { Envelope, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { arrivalOf } from '../../http/server/request-facts.ts'
import { Decided, Decision } from '../builds/channels/model.ts'
import { decideApproval } from './approvals.ts'
import { countMessage } from './service.ts'
import type { ToolContext } from './tool.ts'

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

/** The MCP server and the approvals. The library of the protocol takes about 150 ms to load, so the first call loads it. */
export function agentRoutes(kit: HttpKit, context: ToolContext) {
  return createRoutes(kit, { name: 'agents', tags })
    .use(approvalRoutes(kit, context.deps))
    .post(
      '/mcp',
      async ({ actor, request }) => {
        const message = await readMessage(request)
        if (message instanceof Response) return message
        const refusal = await countMessage(context, actor)
        if (refusal && !isToolCall(message)) throw refusal
        const { answerMessage } = await import('./protocol.ts')
        const caller = { context, agent: actor, refusal }
        return (await answerMessage(caller, request, message)) ?? refuse(INVALID_REQUEST, NO_MESSAGE)
      },
      { rawBody: true, agent: true, detail: { hide: true } },
    )
}

const NO_MESSAGE = 'Invalid request: send one JSON-RPC 2.0 message with jsonrpc, id, method and params.'

/** Programs of this protocol read errors of JSON-RPC, not our envelope; other statuses are those of HTTP. */
async function readMessage(request: Request): Promise<object | Response> {
  try {
    const body = await readJsonBody(request)
    if (body === undefined) return refuse(PARSE_ERROR, 'Parse error: the body is empty.')
    if (Array.isArray(body)) return refuse(INVALID_REQUEST, 'Invalid request: send one message, not a batch.')
    return typeof body === 'object' && body !== null ? body : refuse(INVALID_REQUEST, NO_MESSAGE)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return refuse(PARSE_ERROR, `Parse error: ${error.message}`)
  }
}

function refuse(code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 })
}

function isToolCall(message: object): boolean {
  return 'method' in message && message.method === 'tools/call'
}

const tags = ['Builds']

function approvalRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'approvals', prefix: '/api/v1', tags }).post(
    '/private/approvals/:token',
    async ({ actor, params: { token }, body: { decision }, request }) =>
      ok(await decideApproval(deps, actor, { token }, decision, arrivalOf(request))),
    {
      limit: 'accounts',
      website: true,
      secondFactor: 'always',
      body: Decision,
      response: Envelope(Decided),
      summary: 'Approve or reject the request of a program, with the token from the mail',
      fails: 'taken',
    },
  )
}
