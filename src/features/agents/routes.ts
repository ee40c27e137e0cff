import { Elysia, t } from 'elysia'

import { AppError } from '../../errors.ts'
import type { HttpKit } from '../../http/kit.ts'
import type { ToolContext } from './tool.ts'

/** The MCP server. Its library takes about 150 ms to load, so the first call loads it, not the start. */
export function agentRoutes(kit: HttpKit, context: ToolContext) {
  return new Elysia({ name: 'agents' }).use(kit).post(
    '/mcp',
    async ({ actor, request, body }) => {
      if (Array.isArray(body))
        throw new AppError('invalid_request', { message: 'Send one message per request, not a batch.' })
      const { answerMessage } = await import('./protocol.ts')
      return await answerMessage(context, actor, request, body)
    },
    { agent: true, body: t.Unknown(), detail: { hide: true } },
  )
}
