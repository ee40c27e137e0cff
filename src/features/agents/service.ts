import { countRequest, listingSubject } from '../../clients/rate-store/count-request.ts'
import type { Deps } from '../../deps.ts'
import type { Agent } from '../../domain/actor.ts'
import type { LimitRow } from '../../domain/limit-table.ts'
import { AppError } from '../../errors.ts'
import { requireScope } from '../../http/access/auth.ts'
import { toAppError } from '../../http/output/to-app-error.ts'
import { plural } from '../../lib/text/show.ts'
import { listingSource } from '../games/service.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

export type ToolOutcome = ToolResult | { failure: { code: number; message: string } }

/** Counts a message of any kind. Returns the refusal, which the response to a tool call must contain. */
export async function countMessage({ deps }: ToolContext, { tokenId }: Agent): Promise<AppError | null> {
  try {
    await countRequest(deps.rates, ['agent_call'], () => tokenId, {})
    return null
  } catch (error) {
    if (error instanceof AppError && error.kind === 'rate_limited') return error
    throw error
  }
}

/** Failures are returned as results, so that the agent can read them. */
export async function callTool(
  context: ToolContext,
  agent: Agent,
  tool: Tool,
  args: unknown,
): Promise<ToolOutcome> {
  try {
    requireScope(agent, [tool.scope])
    const input = tool.readArguments(args)
    await countWrite(context.deps, agent, tool, input)
    return await tool.run(context, agent, input)
  } catch (error) {
    const failure = toAppError(error, 'UNKNOWN')
    if (failure.status >= 500) {
      const fields = { tool: tool.name, error: failure.cause ?? failure }
      context.deps.log[failure.status === 503 ? 'warn' : 'error']('An agent tool failed', fields)
    }
    return describeFailure(failure)
  }
}

export function describeFailure(failure: AppError): ToolOutcome {
  return { failure: { code: failure.code, message: messageOf(failure) } }
}

/** Writes to one listing share a limit with those of the private routes. */
async function countWrite(
  { db, rates }: Deps,
  { userUid }: Agent,
  { effect }: Tool,
  { game_id }: Record<string, unknown>,
): Promise<void> {
  if (effect === 'read' || effect === 'report') return
  const listing = await listingSource(db).findListingUid(String(game_id), userUid)
  const subjectOf = (per: LimitRow['per']) => (per === 'account' ? userUid : listingSubject(userUid, listing))
  await countRequest(rates, ['listing_write'], subjectOf, {})
}

function messageOf({ message, headers }: AppError): string {
  const wait = headers['retry-after']
  return wait === undefined ? message : `${message} Wait ${plural(Number(wait), 'second')}.`
}
